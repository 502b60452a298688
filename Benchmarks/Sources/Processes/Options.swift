/// The value behind an option of the command line, such as 10 in `--seconds 10`.
///
/// - Parameters:
///   - option: the option, with its dashes.
///   - standard: what counts where the option is not given, or is given without a number.
/// - Returns: the value.
public func number<Value: LosslessStringConvertible>(_ option: String, orElse standard: Value) -> Value {
  let words = CommandLine.arguments
  guard let index = words.firstIndex(of: option), words.indices.contains(index + 1) else { return standard }
  return Value(words[index + 1]) ?? standard
}

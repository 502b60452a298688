/// Returns the value of a command-line option, such as 10 in `--seconds 10`.
///
/// - Parameters:
///   - option: the option, with its dashes.
///   - standard: the value to return if the option is missing or its value cannot be parsed.
/// - Returns: the value.
public func numericOption<Value: LosslessStringConvertible>(_ option: String, default standard: Value)
  -> Value
{
  let words = CommandLine.arguments
  guard let index = words.firstIndex(of: option), words.indices.contains(index + 1) else { return standard }
  return Value(words[index + 1]) ?? standard
}

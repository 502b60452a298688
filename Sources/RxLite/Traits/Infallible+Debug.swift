extension InfallibleType {
  /// Writes a line for the subscription, each event and the disposal to `Hooks.debugOutput`.
  ///
  /// - Parameters:
  ///   - identifier: the name of the sequence; by default its place in the source code.
  ///   - trimOutput: whether to cut the middle out of events that are longer than 40 characters.
  ///   - file: the file of the call.
  ///   - line: the line of the call.
  ///   - function: the function of the call.
  /// - Returns: the same sequence.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Infallible<Element> {
    Infallible(
      asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

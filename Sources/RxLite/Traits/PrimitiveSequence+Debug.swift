extension PrimitiveSequence {
  /// Writes a line for the subscription, each event and the disposal, to `Hooks.debugOutput`.
  ///
  /// - Parameters:
  ///   - identifier: names the sequence; the place in the source code unless given.
  ///   - trimOutput: whether events longer than 40 characters lose their middle.
  ///   - file: where the operator is used.
  ///   - line: where the operator is used.
  ///   - function: where the operator is used.
  /// - Returns: the same sequence.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(
      raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

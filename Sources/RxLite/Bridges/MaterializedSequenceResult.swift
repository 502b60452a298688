/// What a blocked thread has received from a sequence: its elements, and how it ended.
@frozen public enum MaterializedSequenceResult<Element> {
  /// The sequence ended, or had sent all that was asked for.
  case completed(elements: [Element])
  /// The sequence failed, or the time was up, after these elements.
  case failed(elements: [Element], error: any Error)
}

extension MaterializedSequenceResult: Sendable where Element: Sendable {}

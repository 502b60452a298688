/// The elements that a blocked thread has received from a sequence, and how the sequence ended.
@frozen public enum MaterializedSequenceResult<Element> {
  /// The sequence completed, or sent all requested elements.
  case completed(elements: [Element])
  /// The sequence failed or timed out after these elements.
  case failed(elements: [Element], error: any Error)
}

extension MaterializedSequenceResult: Sendable where Element: Sendable {}

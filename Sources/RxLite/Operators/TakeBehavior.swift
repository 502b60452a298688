/// Whether the element that ends a sequence is sent.
public enum TakeBehavior: Sendable {
  /// The element is sent.
  case inclusive
  /// The element is dropped.
  case exclusive
}

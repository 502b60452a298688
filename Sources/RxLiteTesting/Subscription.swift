/// The times at which a subscription began and ended.
public struct Subscription: Hashable, Sendable {
  /// The virtual time of the subscription.
  public let subscribe: TestTime

  /// The virtual time of the end; `Int.max` if the subscription did not end.
  public let unsubscribe: TestTime

  /// Creates a subscription that did not end.
  public init(_ subscribe: TestTime) {
    self.init(subscribe, .max)
  }

  /// Creates a subscription that ended.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }
}

extension Subscription: CustomDebugStringConvertible {
  /// The text `(subscribe : unsubscribe)`, with `Infinity` if the subscription did not end.
  public var debugDescription: String {
    "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
  }
}

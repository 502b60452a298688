/// When a sequence was subscribed to, and when the subscription ended.
public struct Subscription: Hashable, Sendable {
  /// The virtual time of the subscription.
  public let subscribe: TestTime

  /// The virtual time of its end; `Int.max` for one that did not end.
  public let unsubscribe: TestTime

  /// A subscription that did not end.
  public init(_ subscribe: TestTime) {
    self.init(subscribe, .max)
  }

  /// A subscription that ended.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }
}

extension Subscription: CustomDebugStringConvertible {
  /// `(subscribe : unsubscribe)`, with `Infinity` for one that did not end.
  public var debugDescription: String {
    "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
  }
}

public import RxLite

/// A value and the virtual time at which it was received.
public struct Recorded<Value> {
  /// When.
  public let time: TestTime

  /// What.
  public let value: Value

  /// Pairs a value with a time.
  public init(time: TestTime, value: Value) {
    self.time = time
    self.value = value
  }
}

extension Recorded: Equatable where Value: Equatable {}

extension Recorded: Sendable where Value: Sendable {}

extension Recorded: CustomDebugStringConvertible {
  /// `value @ time`.
  public var debugDescription: String {
    "\(value) @ \(time)"
  }
}

extension Recorded {
  /// A `next` event at a time.
  public static func next<T>(_ time: TestTime, _ element: T) -> Recorded<Event<T>> where Value == Event<T> {
    Recorded(time: time, value: .next(element))
  }

  /// A `completed` event at a time.
  public static func completed<T>(
    _ time: TestTime, _ type: T.Type = T.self
  ) -> Recorded<Event<T>> where Value == Event<T> {
    Recorded(time: time, value: .completed)
  }

  /// An `error` event at a time.
  public static func error<T>(
    _ time: TestTime, _ error: any Error, _ type: T.Type = T.self
  ) -> Recorded<Event<T>> where Value == Event<T> {
    Recorded(time: time, value: .error(error))
  }

  /// The events as an array: names its type where nothing else does.
  public static func events<T>(
    _ recordedEvents: Recorded<Event<T>>...
  ) -> [Recorded<Event<T>>] where Value == Event<T> {
    recordedEvents
  }

  /// The events as they are: names the type of an array literal where nothing else does.
  public static func events<T>(
    _ recordedEvents: [Recorded<Event<T>>]
  ) -> [Recorded<Event<T>>] where Value == Event<T> {
    recordedEvents
  }
}

public import RxLite

extension SignalProducer {
  /// Starts the work and observes its values, under a name that is older than ReactiveSwift.
  ///
  /// The error is ignored: see `startWithResult(_:)`.
  ///
  /// - Parameter action: receives each value.
  /// - Returns: the started work; disposing it stops the transfer on the wire.
  @preconcurrency @discardableResult public func startWithNext(_ action: @escaping @Sendable (Value) -> Void)
    -> any Disposable
  {
    start { if case .value(let value) = $0 { action(value) } }
  }
}

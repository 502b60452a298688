public import RxLite

extension SignalProducer {
  /// Starts the work, for its values, in the spelling from before ReactiveSwift.
  ///
  /// It has no closure for the error: see `startWithResult(_:)`.
  ///
  /// - Parameter action: gets each value.
  /// - Returns: the work; disposing it takes the transfer off the wire.
  @discardableResult public func startWithNext(_ action: @escaping (Value) -> Void) -> any Disposable {
    start { if case .value(let value) = $0 { action(value) } }
  }
}

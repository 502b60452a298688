import ReactiveNetworkLock
public import RxLite

/// A request, or a transformation of its response, with ReactiveSwift's names: each start sends the request.
///
/// ```swift
/// provider.reactive.request(.zen).start { event in
///   switch event {
///   case .value(let response): print(response.statusCode)
///   case .failed(let error): print(error)
///   case .completed, .interrupted: break
///   }
/// }
/// ```
///
/// It wraps the same sequence as `provider.rx`, with errors of its own type; `asObservable()` returns that.
public struct SignalProducer<Value, Failure: Error> {
  /// The events of a started producer: any number of values, then one of the other events.
  public enum Event {
    /// A value.
    case value(Value)
    /// The work ended with an error.
    case failed(Failure)
    /// The work ended without an error.
    case completed
    /// The work was disposed before its end.
    case interrupted
  }

  /// The sequence, whose errors are of type `Failure`.
  let source: Observable<Value>

  /// Starts the work.
  ///
  /// - Parameter action: receives the events on the thread that produces them; `.interrupted` on the
  ///   disposing thread.
  /// - Returns: the started work; disposing it stops the transfer on the wire.
  @preconcurrency @discardableResult public func start(
    _ action: @escaping @Sendable (Event) -> Void = { _ in }
  ) -> any Disposable {
    let end = OneTimeFlag()
    return source.subscribe(
      onNext: { if !end.isSet { action(.value($0)) } },
      onError: { error in if end.set() { action((error as? Failure).map { .failed($0) } ?? .interrupted) } },
      onCompleted: { if end.set() { action(.completed) } },
      onDisposed: { if end.set() { action(.interrupted) } })
  }

  /// Starts the work and observes its values and its error.
  ///
  /// - Parameter action: receives each value, and the error.
  /// - Returns: the started work; disposing it stops the transfer on the wire.
  @preconcurrency @discardableResult public func startWithResult(
    _ action: @escaping @Sendable (Result<Value, Failure>) -> Void
  ) -> any Disposable {
    start { event in
      switch event {
      case .value(let value): action(.success(value))
      case .failed(let error): action(.failure(error))
      case .completed, .interrupted: break
      }
    }
  }

  /// Starts the work and observes its error.
  ///
  /// - Parameter action: receives the error.
  /// - Returns: the started work; disposing it stops the transfer on the wire.
  @preconcurrency @discardableResult public func startWithFailed(
    _ action: @escaping @Sendable (Failure) -> Void
  ) -> any Disposable {
    start { if case .failed(let error) = $0 { action(error) } }
  }

  /// Starts the work and observes its completion.
  ///
  /// - Parameter action: called if the work ends without an error.
  /// - Returns: the started work; disposing it stops the transfer on the wire.
  @preconcurrency @discardableResult public func startWithCompleted(_ action: @escaping @Sendable () -> Void)
    -> any Disposable
  {
    start { if case .completed = $0 { action() } }
  }

  /// Returns the work as a sequence, to which all other operators apply.
  ///
  /// - Returns: the sequence.
  public func asObservable() -> Observable<Value> { source }
}

extension SignalProducer where Failure == Never {
  /// Starts the work and observes its values.
  ///
  /// - Parameter action: receives each value.
  /// - Returns: the started work; disposing it stops the transfer on the wire.
  @preconcurrency @discardableResult public func startWithValues(
    _ action: @escaping @Sendable (Value) -> Void
  ) -> any Disposable {
    start { if case .value(let value) = $0 { action(value) } }
  }
}

extension SignalProducer {
  /// Transforms each value.
  ///
  /// - Parameter transform: returns the new value.
  /// - Returns: the producer of the new values.
  @preconcurrency public func map<Result>(_ transform: @escaping @Sendable (Value) -> Result)
    -> SignalProducer<Result, Failure>
  {
    SignalProducer<Result, Failure>(source: source.map(transform))
  }

  /// Transforms each value, and drops the value if the result is `nil`.
  ///
  /// - Parameter transform: returns the new value or `nil`.
  /// - Returns: the producer of the new values.
  @preconcurrency public func compactMap<Result>(
    _ transform: @escaping @Sendable (Value) -> Result?
  ) -> SignalProducer<Result, Failure> {
    SignalProducer<Result, Failure>(source: source.compactMap(transform))
  }

  /// Transforms the error.
  ///
  /// - Parameter transform: returns the new error.
  /// - Returns: the producer, which fails with the new error.
  @preconcurrency public func mapError<Other: Error>(_ transform: @escaping @Sendable (Failure) -> Other)
    -> SignalProducer<
      Value, Other
    >
  {
    let values = source.catch { error in
      .error((error as? Failure).map { transform($0) as any Error } ?? error)
    }
    return SignalProducer<Value, Other>(source: values)
  }

  /// Delivers every event on a scheduler.
  ///
  /// - Parameter scheduler: the scheduler on which the events are delivered.
  /// - Returns: the producer whose events arrive there.
  public func observe(on scheduler: any ImmediateSchedulerType) -> SignalProducer<Value, Failure> {
    SignalProducer(source: source.observe(on: scheduler))
  }

  /// Transforms each value, or fails with the error that the closure throws.
  func attemptMap<Result>(_ transform: @escaping (Value) throws -> Result) -> SignalProducer<Result, Failure>
  {
    SignalProducer<Result, Failure>(source: source.mapping(transform))
  }
}

/// A flag for the first of two events, the end or the disposal: `set()` returns `true` only once.
final class OneTimeFlag: Sendable {
  private let state = Lock(false)

  var isSet: Bool { state.withLock { $0 } }

  /// Sets the flag; returns `true` if it was not set before.
  func set() -> Bool {
    state.withLock { !exchange(&$0, with: true) }
  }
}

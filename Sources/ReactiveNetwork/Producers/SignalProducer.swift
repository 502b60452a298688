import Locking
public import RxLite

/// A request, or what is made of its answer, in ReactiveSwift's words: nothing happens until it is started.
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
/// It is a view of the same sequence that `provider.rx` has, which `asObservable()` returns.
public struct SignalProducer<Value, Failure: Error> {
  /// What a started producer sends: any number of values, then one of the others.
  public enum Event {
    /// A value.
    case value(Value)
    /// It ended with an error.
    case failed(Failure)
    /// It ended as it should.
    case completed
    /// It was disposed before its end.
    case interrupted
  }

  private let source: Observable<Value>
  // What fails in the sequence is a `Failure`, or becomes one.
  private let failure: (any Error) -> Failure

  init(_ source: Observable<Value>, failure: @escaping (any Error) -> Failure) {
    self.source = source
    self.failure = failure
  }

  /// Starts the work.
  ///
  /// - Parameter action: gets the events, on the thread that produces them; `.interrupted` on the thread that disposes.
  /// - Returns: the work; disposing it takes the transfer off the wire.
  @discardableResult public func start(_ action: @escaping (Event) -> Void = { _ in }) -> any Disposable {
    let end = Ending()
    let subscription = source.subscribe(
      onNext: { if !end.isReached { action(.value($0)) } },
      onError: { error in if end.reach() { action(.failed(failure(error))) } },
      onCompleted: { if end.reach() { action(.completed) } })
    return Disposables.create {
      subscription.dispose()
      if end.reach() { action(.interrupted) }
    }
  }

  /// Starts the work, for its value or its error.
  ///
  /// - Parameter action: gets each value and the error.
  /// - Returns: the work; disposing it takes the transfer off the wire.
  @discardableResult public func startWithResult(
    _ action: @escaping (Result<Value, Failure>) -> Void
  ) -> any Disposable {
    start { event in
      switch event {
      case .value(let value): action(.success(value))
      case .failed(let error): action(.failure(error))
      case .completed, .interrupted: break
      }
    }
  }

  /// Starts the work, for its error.
  ///
  /// - Parameter action: gets the error.
  /// - Returns: the work; disposing it takes the transfer off the wire.
  @discardableResult public func startWithFailed(_ action: @escaping (Failure) -> Void) -> any Disposable {
    start { if case .failed(let error) = $0 { action(error) } }
  }

  /// Starts the work, for its end.
  ///
  /// - Parameter action: called when it ended as it should.
  /// - Returns: the work; disposing it takes the transfer off the wire.
  @discardableResult public func startWithCompleted(_ action: @escaping () -> Void) -> any Disposable {
    start { if case .completed = $0 { action() } }
  }

  /// The same work as a sequence, for all other operators.
  ///
  /// - Returns: the sequence.
  public func asObservable() -> Observable<Value> { source }
}

extension SignalProducer where Failure == Never {
  /// Starts the work, for its values.
  ///
  /// - Parameter action: gets each value.
  /// - Returns: the work; disposing it takes the transfer off the wire.
  @discardableResult public func startWithValues(_ action: @escaping (Value) -> Void) -> any Disposable {
    start { if case .value(let value) = $0 { action(value) } }
  }
}

extension SignalProducer {
  /// Transforms each value.
  ///
  /// - Parameter transform: makes the new value.
  /// - Returns: the producer of those.
  public func map<Result>(_ transform: @escaping (Value) -> Result) -> SignalProducer<Result, Failure> {
    SignalProducer<Result, Failure>(source.map(transform), failure: failure)
  }

  /// Transforms each value and drops those that become `nil`.
  ///
  /// - Parameter transform: makes the new value or `nil`.
  /// - Returns: the producer of those.
  public func compactMap<Result>(
    _ transform: @escaping (Value) -> Result?
  ) -> SignalProducer<Result, Failure> {
    SignalProducer<Result, Failure>(source.compactMap(transform), failure: failure)
  }

  /// Transforms the error.
  ///
  /// - Parameter transform: makes the new error.
  /// - Returns: the producer that fails with it.
  public func mapError<Other: Error>(_ transform: @escaping (Failure) -> Other) -> SignalProducer<
    Value, Other
  > {
    SignalProducer<Value, Other>(source, failure: { [failure] in transform(failure($0)) })
  }

  /// Hands every event on on a scheduler.
  ///
  /// - Parameter scheduler: where the events arrive.
  /// - Returns: the producer as seen from there.
  public func observe(on scheduler: any ImmediateSchedulerType) -> SignalProducer<Value, Failure> {
    SignalProducer(source.observe(on: scheduler), failure: failure)
  }

  /// Transforms each value, or fails.
  func attemptMap<Result>(_ transform: @escaping (Value) throws -> Result) -> SignalProducer<Result, Failure>
  {
    SignalProducer<Result, Failure>(source.map(transform), failure: failure)
  }
}

/// The first of the end and the dispose.
private final class Ending: Sendable {
  private let state = Lock(false)

  var isReached: Bool { state.withLock { $0 } }

  /// Whether it is reached now, and was not before.
  func reach() -> Bool {
    state.withLock { isReached in
      defer { isReached = true }
      return !isReached
    }
  }
}

/// ReactiveSwift's scheduler over a queue.
public typealias QueueScheduler = SerialDispatchQueueScheduler

internal import Dispatch
public import RxLite
public import ServiceLifecycle

/// A sequence that a `ServiceGroup` runs as a service.
///
/// ```swift
/// let service = ObservableService(provider.rx.request(.status).poll(every: .seconds(10)))
/// let group = ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// Elements are discarded, so handle them in the sequence, for example with `do(onNext:)`. An error ends the
/// service with that error. A sequence that completes before the shutdown ends the service too, and the
/// `successTerminationBehavior` of its configuration decides what the group does then.
public struct ObservableService: Service {
  private let sequence: @Sendable (_ shutdown: Observable<Void>) -> Completable

  /// Creates a service that subscribes to a sequence, and disposes the subscription at a graceful shutdown or if
  /// the group is cancelled.
  ///
  /// A disposal takes the requests of the sequence off the wire.
  ///
  /// - Parameter source: the sequence, such as a pipeline or a request.
  public init(_ source: some ObservableConvertibleType) {
    let source = source.asObservable()
    self.init { source.take(until: $0) }
  }

  /// Creates a service whose sequence decides what a graceful shutdown ends.
  ///
  /// With `take(until: shutdown)` before `flatMap`, no new request starts, and the service ends after those in
  /// flight:
  ///
  /// ```swift
  /// let service = ObservableService { shutdown in
  ///   jobs.take(until: shutdown).flatMap { provider.rx.request(.process($0)) }
  /// }
  /// ```
  ///
  /// If the group is cancelled, for example because `maximumGracefulShutdownDuration` has passed, the
  /// subscription is disposed.
  ///
  /// - Parameter sequence: returns the sequence. Called when the service starts. `shutdown` sends an element on a
  ///   background queue when the graceful shutdown begins, or at once if it has begun.
  public init<Element>(_ sequence: @escaping @Sendable (_ shutdown: Observable<Void>) -> Observable<Element>)
  {
    self.sequence = { sequence($0).ignoreElements().asCompletable() }
  }

  /// Subscribes to the sequence, and returns when it has completed; called by the group.
  public func run() async throws {
    let shutdown = ReplaySubject<Void>.create(bufferSize: 1)
    try await withGracefulShutdownHandler {
      try await sequence(shutdown.asObservable()).value
    } onGracefulShutdown: {
      // ServiceLifecycle holds a lock during this call, and a disposal runs closures of the application.
      DispatchQueue.global().async { shutdown.onNext(()) }
    }
  }
}

import Foundation
public import NetworkCore
public import RxLite

extension SchedulerType {
  /// The scheduler as what a provider's delayed stubs, retries and progress wait on.
  ///
  /// ```swift
  /// let scheduler = TestScheduler(initialClock: 0)
  /// let provider = NetworkProvider<GitHub>(
  ///   stubClosure: NetworkProvider.delayedStub(5), scheduler: scheduler.asDelayScheduler())
  /// ```
  ///
  /// With a virtual scheduler everything that a provider does in time happens in virtual time, on the thread that runs the
  /// scheduler. Such a scheduler may be used by one thread at a time: leave the provider without a callback queue, and
  /// have its requests answered by stubs.
  ///
  /// - Returns: the delay scheduler, which keeps this scheduler.
  public func asDelayScheduler() -> any DelayScheduler {
    ReactiveDelayScheduler(scheduler: self)
  }
}

/// Sendable because a scheduler is there to be given work from any thread; a virtual one asks for one thread at a time,
/// as `asDelayScheduler()` says.
private struct ReactiveDelayScheduler: DelayScheduler, @unchecked Sendable {
  let scheduler: any SchedulerType

  var now: Date { scheduler.now }

  func schedule(
    after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let work = scheduler.scheduleRelative((), dueTime: .inSeconds(seconds)) { _ in
      action()
      return Disposables.create()
    }
    return CancellableToken { work.dispose() }
  }
}

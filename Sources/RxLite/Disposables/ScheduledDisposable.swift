import ReactiveNetworkLock

/// A disposable that disposes another one on a scheduler.
public final class ScheduledDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  private struct State {
    let scheduler: any ImmediateSchedulerType
    var content: (any Disposable)?
  }

  private let state: Lock<State>

  /// Creates a disposable that schedules the disposal of another.
  ///
  /// - Parameters:
  ///   - scheduler: runs the disposal.
  ///   - disposable: the content.
  public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
    state = Lock(State(scheduler: scheduler, content: disposable))
  }

  /// The scheduler that runs the disposal.
  public var scheduler: any ImmediateSchedulerType { state.withLock { $0.scheduler } }

  /// Whether the content was disposed; `false` until the scheduler has run the disposal.
  public var isDisposed: Bool { state.withLock { $0.content == nil } }

  /// Schedules the disposal of the content.
  public func dispose() {
    _ = scheduler.schedule(self) { scheduled in
      scheduled.state.withLock { $0.content.take() }?.dispose()
      return Disposables.create()
    }
  }
}

internal import Dispatch
internal import ReactiveNetworkLock

/// Calls each callback once on a separate thread, without waiting for a callback that blocks.
///
/// One thread calls the callbacks in order. If a callback has waited for a few milliseconds, or announces
/// that it will wait for another request, another thread takes over the pending callbacks, and the first
/// thread ends after its callback. So each blocked callback has a thread, up to 256 of them. A callback that
/// computes keeps its thread busy for up to two seconds before another one takes over, because more threads
/// would only compete for the processors. For the same reason, a callback that has announced its wait
/// continues after the callback that runs when the wait ends. The threads do not belong to dispatch queues: a
/// process has 255 of those, and the program may block them.
///
/// After a takeover, two callbacks may run at the same time. A caller that promises an order, as a transfer
/// does for its events, keeps it with a queue of its own.
package final class CallbackPool: Sendable {
  package typealias Callback = @Sendable () -> Void

  /// The next step of a thread.
  private enum Step {
    case call(Callback)
    case sleep
    /// Ends, after waking the thread that takes over, if there is one.
    case exit(waking: CallbackThread?)
  }

  /// What the thread that takes the waiting callbacks does.
  private enum Activity {
    /// It has been started or woken, and may wait for a processor.
    case starting
    case calling
    case sleeping
  }

  private struct State {
    var waiting = Queue<Callback>()
    /// The thread that takes the waiting callbacks; `nil` for none.
    var worker: CallbackThread?
    var activity = Activity.starting
    /// The threads whose callbacks have waited and now wait to continue, in order.
    var resuming = Queue<CallbackThread>()
    /// The number of threads that have not ended.
    var threads = 0
    /// The number of callbacks called so far, and the number at the last check.
    var called: UInt64 = 0
    var calledAtLastCheck: UInt64 = 0
    /// The number of checks in a row since when no callback has been called.
    var checksWithoutCall = 0
    var isChecking = false

    /// Returns a new thread, to be started by the caller, that takes the waiting callbacks; the previous
    /// thread takes no more.
    mutating func addThread(for pool: CallbackPool) -> CallbackThread {
      let thread = CallbackThread(of: pool)
      threads += 1
      worker = thread
      activity = .starting
      return thread
    }

    /// Ensures that a thread takes the added callbacks, and that the periodic check runs if it may be needed.
    mutating func ensureThread(for pool: CallbackPool) -> ThreadActions {
      let isBusy = worker != nil && activity != .sleeping
      var actions = isBusy || waiting.count > 1 ? startChecking() : ThreadActions()
      if worker == nil {
        actions.newThread = addThread(for: pool)
      } else if activity == .sleeping {
        activity = .starting
        actions.threadToWake = worker
      }
      return actions
    }

    /// Lets the first of the callbacks that have waited continue, and returns its thread, to be woken by the
    /// caller; `nil` if there is none.
    mutating func resumeFirst() -> CallbackThread? {
      guard let thread = resuming.popFirst() else { return nil }
      worker = thread
      activity = .calling
      return thread
    }

    /// Returns the next step of a thread.
    mutating func next(_ thread: CallbackThread) -> Step {
      // The thread handed over its role, and no callbacks have been added since then.
      if worker == nil { worker = thread }
      guard worker === thread else {
        threads -= 1
        return .exit(waking: nil)
      }
      if let resumed = resumeFirst() {
        threads -= 1
        return .exit(waking: resumed)
      }
      guard let callback = waiting.popFirst() else {
        activity = .sleeping
        return .sleep
      }
      activity = .calling
      called += 1
      return .call(callback)
    }

    /// Returns what a periodic check has found.
    ///
    /// On a busy machine, a new thread may wait longer for a processor than the time between two checks. If
    /// each check replaced it, no thread would ever call a callback. So only a thread that the system may not
    /// have been able to start is replaced before its first callback.
    mutating func check() -> CheckResult {
      guard !waiting.isEmpty || !resuming.isEmpty else {
        isChecking = false
        return .isIdle
      }
      guard called == calledAtLastCheck, let worker else {
        (calledAtLastCheck, checksWithoutCall) = (called, 0)
        return .progresses
      }
      checksWithoutCall += 1
      guard threads < CallbackPool.threadLimit || !resuming.isEmpty else { return .progresses }
      let isLate = checksWithoutCall.isMultiple(of: CallbackPool.checksBeforeRestart)
      return isLate || activity == .calling ? .stalls(worker, isLate: isLate) : .progresses
    }

    /// Makes another thread take over from a stalled one, unless that has called a callback meanwhile.
    mutating func replace(_ thread: CallbackThread, for pool: CallbackPool) -> ThreadActions {
      guard worker === thread, called == calledAtLastCheck else { return ThreadActions() }
      return makeAnotherThreadTakeOver(for: pool)
    }

    /// Makes another thread take the role of the worker, if there is anything to do.
    mutating func makeAnotherThreadTakeOver(for pool: CallbackPool) -> ThreadActions {
      if let resumed = resumeFirst() { return ThreadActions(threadToWake: resumed) }
      return waiting.isEmpty ? ThreadActions() : ThreadActions(newThread: addThread(for: pool))
    }

    /// Lets a callback that has waited continue: at once if no other callback runs.
    ///
    /// Returns `false` if its thread must sleep first, until it is woken.
    mutating func resume(_ thread: CallbackThread) -> (continues: Bool, ThreadActions) {
      if worker != nil, activity == .calling {
        resuming.append(thread)
        return (false, startChecking())
      }
      // A sleeping thread is woken and ends, because it is no longer the worker.
      let actions = ThreadActions(threadToWake: activity == .sleeping ? worker : nil)
      (worker, activity) = (thread, .calling)
      return (true, actions)
    }

    /// Starts the periodic check unless it runs.
    mutating func startChecking() -> ThreadActions {
      guard !isChecking else { return ThreadActions() }
      (isChecking, calledAtLastCheck, checksWithoutCall) = (true, called, 0)
      return ThreadActions(startsChecking: true)
    }
  }

  /// What a periodic check has found.
  private enum CheckResult {
    case isIdle
    case progresses
    /// No callback has been called since the last check; if that is late, the reason does not matter.
    case stalls(CallbackThread, isLate: Bool)
  }

  /// The actions to take outside the lock.
  private struct ThreadActions {
    var threadToWake: CallbackThread?
    var startsChecking = false
    var newThread: CallbackThread?
  }

  package static let threadLimit = 256
  private static let stallTime = DispatchTimeInterval.milliseconds(5)
  /// The number of checks without a new callback after which a thread is replaced in any case.
  private static let checksBeforeRestart = 400
  private static let checkQueue = DispatchQueue(label: "NetworkCore.callbacks.check")

  private let state = Lock(State())

  package init() {}

  /// Ends the sleeping thread, which does not keep the pool alive.
  deinit {
    state.withLock { $0.activity == .sleeping ? $0.worker : nil }?.wake()
  }

  /// Schedules a callback, to be called soon and on another thread.
  package func call(_ callback: @escaping Callback) {
    perform(
      state.withLock { state in
        state.waiting.append(callback)
        return state.ensureThread(for: self)
      })
  }

  /// Schedules callbacks, to be called soon and in order on another thread; empties the array, which keeps
  /// its memory.
  package func call(_ callbacks: inout [Callback]) {
    guard !callbacks.isEmpty else { return }
    perform(
      state.withLock { state in
        state.waiting.append(contentsOf: callbacks)
        return state.ensureThread(for: self)
      })
    callbacks.removeAll(keepingCapacity: true)
  }

  /// The number of threads that have been created and have not ended, and whether one of them sleeps until it
  /// is needed.
  package var status: (threads: Int, isIdle: Bool) {
    state.withLock { ($0.threads, $0.activity == .sleeping) }
  }

  /// Whether the calling thread is one of the pool's.
  package var isCurrent: Bool { CallbackThread.current.map { $0.belongs(to: self) } ?? false }

  private func perform(_ actions: ThreadActions) {
    actions.threadToWake?.wake()
    actions.newThread?.start()
    if actions.startsChecking { check() }
  }

  /// Checks periodically, and starts another thread when a callback waits.
  private func check() {
    Self.checkQueue.asyncAfter(deadline: .now() + Self.stallTime) { [self] in
      switch state.withLock({ $0.check() }) {
      case .isIdle: return
      case .stalls(let thread, let isLate) where isLate || thread.isWaiting:
        perform(state.withLock { $0.replace(thread, for: self) })
      case .stalls, .progresses: break
      }
      check()
    }
  }
}

// Called by the pool's threads.
extension CallbackPool {
  /// Calls the waiting callbacks.
  ///
  /// Returns `true` if the thread must then sleep until it is woken, and `false` if it must end.
  func runCallbacks(on thread: CallbackThread) -> Bool {
    while true {
      switch state.withLock({ $0.next(thread) }) {
      case .call(let callback): callback()
      case .sleep: return true
      case .exit(let resumed):
        resumed?.wake()
        return false
      }
    }
  }

  /// Makes another thread take over before a callback of the calling thread waits.
  ///
  /// Returns `false` if it must not wait, because too many threads already do.
  func handOver(_ thread: CallbackThread) -> Bool {
    let (isAdmitted, actions): (Bool, ThreadActions) = state.withLock { state in
      guard state.worker === thread else { return (true, ThreadActions()) }
      guard state.threads < Self.threadLimit else { return (false, ThreadActions()) }
      state.worker = nil
      return (true, state.makeAnotherThreadTakeOver(for: self))
    }
    perform(actions)
    return isAdmitted
  }

  /// Returns `true` if a callback of the calling thread may continue after a wait that it has announced, and
  /// `false` if its thread must sleep first.
  func resume(_ thread: CallbackThread) -> Bool {
    let (continues, actions) = state.withLock { $0.resume(thread) }
    perform(actions)
    return continues
  }
}

internal import ReactiveNetworkLock

extension CallbackPool {
  /// The next step of a thread.
  enum Step {
    case call(Callback)
    case run(any ParkableLoop)
    case sleep
    /// Ends, after waking the thread that takes over, if there is one.
    case exit(waking: CallbackThread?)
  }

  /// What the thread that takes the waiting callbacks does.
  enum Activity {
    /// It has been started or woken, and may wait for a processor.
    case starting
    case calling
    case sleeping
  }

  /// A loop that no thread runs.
  struct ParkedLoop {
    let loop: any ParkableLoop
    /// The thread that runs it when it is needed.
    let thread: CallbackThread
    /// Whether the thread has been started or woken for that.
    var isNeeded = false
  }

  struct State {
    /// The loop, while no thread runs it.
    var parkedLoop: ParkedLoop?
    var waiting = Queue<Callback>()
    /// The thread that takes the waiting callbacks; `nil` for none.
    var worker: CallbackThread?
    var activity = Activity.starting
    /// The threads whose callbacks have waited and now wait to continue, in order.
    var resuming = Queue<CallbackThread>()
    /// The number of threads that have not ended, but for the one that the loop adds.
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
      if let parked = parkedLoop, parked.thread === thread {
        parkedLoop = nil
        return .run(parked.loop)
      }
      // The thread handed over its role, and no callbacks have been added since then, or its loop has ended.
      if worker == nil { worker = thread }
      guard worker === thread else {
        threads -= 1
        return .exit(waking: nil)
      }
      if let resumed = resumeFirst() {
        threads -= 1
        return .exit(waking: resumed)
      }
      guard let callback = waiting.popFirst() else { return nextWithoutCallback() }
      activity = .calling
      called += 1
      return .call(callback)
    }

    /// Returns the next step of the worker if no callback waits: it runs the loop if it is parked, and the
    /// loop's thread waits for callbacks instead.
    private mutating func nextWithoutCallback() -> Step {
      guard let parked = parkedLoop.take() else {
        activity = .sleeping
        return .sleep
      }
      // A thread that is about to run must not be woken a second time.
      (worker, activity) = (parked.thread, parked.isNeeded ? .starting : .sleeping)
      return .run(parked.loop)
    }

    /// Parks a loop, and makes the thread that has run it the worker.
    ///
    /// Only a thread that sleeps can take the loop over.
    mutating func park(
      _ loop: any ParkableLoop, on thread: CallbackThread, calling callbacks: inout [Callback],
      _ leave: () -> Bool
    ) -> ThreadActions? {
      guard let sleeping = worker, activity == .sleeping, leave() else { return nil }
      parkedLoop = ParkedLoop(loop: loop, thread: sleeping)
      (worker, activity) = (thread, .calling)
      waiting.append(contentsOf: callbacks)
      // Under the lock, because the array is the loop's, which another thread may run from here on.
      callbacks.removeAll(keepingCapacity: true)
      return waiting.count > 1 ? startChecking() : ThreadActions()
    }

    /// Makes a thread run the loop if it is parked; returns that thread, to be woken by the caller.
    mutating func needLoop() -> CallbackThread? {
      guard var parked = parkedLoop, !parked.isNeeded else { return nil }
      parked.isNeeded = true
      parkedLoop = parked
      return parked.thread
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
      // A thread that has been started for a callback ends without calling it, and this one may block from now on.
      var actions = waiting.isEmpty ? ThreadActions() : startChecking()
      // A sleeping thread is woken and ends, because it is no longer the worker.
      actions.threadToWake = activity == .sleeping ? worker : nil
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
  enum CheckResult {
    case isIdle
    case progresses
    /// No callback has been called since the last check; if that is late, the reason does not matter.
    case stalls(CallbackThread, isLate: Bool)
  }

  /// The actions to take outside the lock.
  struct ThreadActions {
    var threadToWake: CallbackThread?
    var startsChecking = false
    var newThread: CallbackThread?
  }
}

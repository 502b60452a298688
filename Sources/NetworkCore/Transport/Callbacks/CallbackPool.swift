internal import Dispatch
internal import Locking

/// Calls callbacks in order on a thread of its own, without waiting for a callback that blocks.
///
/// If a callback takes longer than a few milliseconds, or is about to wait for another request, another
/// thread takes over the waiting callbacks, and the first thread ends with its callback. So each blocked
/// callback has a thread, up to 256 of them. The threads do not belong to dispatch queues: a process has 255
/// of those, and the program may block them.
package final class CallbackPool: Sendable {
  package typealias Callback = @Sendable () -> Void

  /// The next step of a thread.
  private enum Step {
    case call(Callback)
    case rest
    case leave
  }

  private struct State {
    var waiting: [Callback] = []
    var first = 0
    /// The thread that takes the waiting callbacks; `nil` for none.
    var worker: CallbackThread?
    /// Whether that thread sleeps.
    var isResting = false
    /// The number of threads that have not ended.
    var threads = 0
    /// The number of callbacks called so far, and the number at the last check.
    var called: UInt64 = 0
    var calledBefore: UInt64 = 0
    var isWatched = false

    var isEmpty: Bool { first == waiting.count }

    /// Returns a new thread, to be started by the caller, that takes the waiting callbacks; the previous
    /// thread takes no more.
    mutating func hire(for pool: CallbackPool) -> CallbackThread {
      let thread = CallbackThread(of: pool)
      threads += 1
      worker = thread
      return thread
    }

    /// Ensures that a thread takes the added callbacks, and that the watch checks that it does.
    mutating func summon(for pool: CallbackPool) -> Summons {
      let isBusy = worker != nil && !isResting
      var summons = Summons(
        woken: isResting ? worker : nil, watches: !isWatched && (isBusy || waiting.count - first > 1))
      isResting = false
      if worker == nil { summons.hired = hire(for: pool) }
      if summons.watches { (isWatched, calledBefore) = (true, called) }
      return summons
    }

    /// Returns the next step of a thread.
    mutating func next(_ thread: CallbackThread) -> Step {
      // The thread had handed over its role, and no callbacks have been added since.
      if worker == nil { worker = thread }
      guard worker === thread else {
        threads -= 1
        return .leave
      }
      guard !isEmpty else {
        isResting = true
        return .rest
      }
      let callback = waiting[first]
      first += 1
      called += 1
      thread.hasFurtherCallbacks = !isEmpty
      if isEmpty {
        waiting.removeAll(keepingCapacity: first < 1_024)
        first = 0
      } else if first >= 1_024 {
        waiting.removeFirst(first)
        first = 0
      }
      return .call(callback)
    }

    /// Whether another thread must take over: no callback has been called since the last check.
    mutating func isHeldUp() -> Bool {
      defer { calledBefore = called }
      return called == calledBefore && !isResting && threads < CallbackPool.threadLimit
    }

  }

  /// The actions to take outside the lock.
  private struct Summons {
    var woken: CallbackThread?
    var watches: Bool
    var hired: CallbackThread?
  }

  package static let threadLimit = 256
  private static let patience = DispatchTimeInterval.milliseconds(5)
  private static let watch = DispatchQueue(label: "NetworkCore.callbacks.watch")

  private let state = Lock(State())

  package init() {}

  /// Ends the sleeping thread, which does not keep the pool alive.
  deinit {
    state.withLock { $0.isResting ? $0.worker : nil }?.wake()
  }

  /// Schedules a callback, to be called soon and on another thread.
  package func call(_ callback: @escaping Callback) {
    answer(
      state.withLock { state in
        state.waiting.append(callback)
        return state.summon(for: self)
      })
  }

  /// Schedules callbacks, to be called soon and in order on another thread; empties the array, which keeps
  /// its memory.
  package func call(_ callbacks: inout [Callback]) {
    guard !callbacks.isEmpty else { return }
    answer(
      state.withLock { state in
        if state.isEmpty {
          swap(&state.waiting, &callbacks)
        } else {
          state.waiting += callbacks
        }
        return state.summon(for: self)
      })
    callbacks.removeAll(keepingCapacity: true)
  }

  /// Whether the calling thread is one of the pool's.
  var isCurrent: Bool { CallbackThread.current.map { $0.belongs(to: self) } ?? false }

  private func answer(_ summons: Summons) {
    summons.woken?.wake()
    summons.hired?.start()
    if summons.watches { look() }
  }

  /// Checks periodically, and starts another thread when one seems to be blocked.
  private func look() {
    Self.watch.asyncAfter(deadline: .now() + Self.patience) { [self] in
      let (hired, goesOn): (CallbackThread?, Bool) = state.withLock { state in
        guard !state.isEmpty else {
          state.isWatched = false
          return (nil, false)
        }
        return (state.isHeldUp() ? state.hire(for: self) : nil, true)
      }
      hired?.start()
      if goesOn { look() }
    }
  }
}

// Called by the pool's threads.
extension CallbackPool {
  /// Calls the waiting callbacks; returns whether the thread must then sleep until it is woken, or else end.
  func serve(_ thread: CallbackThread) -> Bool {
    while true {
      switch state.withLock({ $0.next(thread) }) {
      case .call(let callback): callback()
      case .rest: return true
      case .leave: return false
      }
    }
  }

  /// Lets another thread take over, because a callback of the calling thread is about to wait; returns
  /// `false` if it must not wait, because too many do.
  func handOver(_ thread: CallbackThread) -> Bool {
    let (isAdmitted, hired): (Bool, CallbackThread?) = state.withLock { state in
      guard state.worker === thread else { return (true, nil) }
      guard state.threads < Self.threadLimit else { return (false, nil) }
      state.worker = nil
      thread.hasFurtherCallbacks = false
      return (true, state.isEmpty ? nil : state.hire(for: self))
    }
    hired?.start()
    return isAdmitted
  }
}

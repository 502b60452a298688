internal import Dispatch
internal import Foundation
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
/// The threads can also run a loop, which is the source of the callbacks, one thread at a time.
///
/// After a takeover, two callbacks may run at the same time. A caller that promises an order, as a transfer
/// does for its events, keeps it with a queue of its own.
package final class CallbackPool: Sendable {
  /// A closure to call.
  ///
  /// In a struct, because a queue of closures, which is generic, allocates memory for each, twice.
  package struct Callback: Sendable {
    let call: @Sendable () -> Void

    package init(_ call: @escaping @Sendable () -> Void) { self.call = call }
  }

  package static let threadLimit = 256
  private static let stallTime = DispatchTimeInterval.milliseconds(5)
  /// The number of checks without a new callback after which a thread is replaced in any case.
  static let checksBeforeRestart = 400
  private static let checkQueue = DispatchQueue(label: "NetworkCore.callbacks.check")

  let threadName: String
  /// The signals that the creating thread blocks.
  ///
  /// Threads are often created by one that blocks more, for the calls of a library, and callbacks would pass
  /// those on to the processes that they start.
  let blockedSignals: sigset_t
  private let state = Lock(State())

  package init(threadName: String = "NetworkCallback") {
    self.threadName = threadName
    var blocked = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &blocked)
    blockedSignals = blocked
  }

  /// Ends the sleeping thread, which does not keep the pool alive.
  deinit {
    state.withLock { $0.activity == .sleeping ? $0.worker : nil }?.wake()
  }

  /// Schedules a callback, to be called soon and on another thread.
  package func call(_ callback: @escaping @Sendable () -> Void) {
    perform(
      state.withLock { state in
        state.waiting.append(Callback(callback))
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

  /// Starts a thread that runs a loop.
  package func start(_ loop: any ParkableLoop) {
    let thread = CallbackThread(of: self)
    state.withLock { $0.parkedLoop = ParkedLoop(loop: loop, thread: thread, isNeeded: true) }
    thread.start()
  }

  /// Parks a loop, so that the thread that runs it calls callbacks itself, which saves the wake-up of another
  /// thread.
  ///
  /// A thread runs the loop again after the last callback, or when `runLoop()` is called.
  ///
  /// - Parameters:
  ///   - loop: the loop.
  ///   - thread: the calling thread, which runs the loop and must return from it if it is parked.
  ///   - callbacks: called like those of `call(_:)`; emptied if the loop is parked, and then no longer used.
  ///   - leave: returns whether the loop may be parked; from then on, it calls `runLoop()` when it is needed.
  ///     Called under the pool's lock.
  /// - Returns: whether the loop is parked; `false` if another thread calls callbacks, if none would be left to
  ///   run the loop, or if `leave` has returned `false`.
  package func park(
    _ loop: any ParkableLoop, on thread: CallbackThread, calling callbacks: inout [Callback],
    _ leave: () -> Bool
  ) -> Bool {
    let actions = state.withLock { $0.park(loop, on: thread, calling: &callbacks, leave) }
    if let actions { perform(actions) }
    return actions != nil
  }

  /// Makes a thread run the loop if it is parked.
  package func runLoop() {
    state.withLock { $0.needLoop() }?.wake()
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
      case .call(let callback): callback.call()
      case .run(let loop): thread.run(loop)
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

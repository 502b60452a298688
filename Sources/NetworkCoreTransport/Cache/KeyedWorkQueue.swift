internal import Dispatch
internal import ReactiveNetworkLock

/// Runs work that may block on separate threads: in the order of the calls for one key, and concurrently for
/// different keys.
///
/// Work that never returns blocks its key, and occupies one of 64 threads. When all are occupied, other keys
/// wait as well.
package final class KeyedWorkQueue: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    /// The keys with current or waiting work, each with its waiting work.
    var waiting: [UInt64: Queue<Work>] = [:]
    /// The keys that wait for a thread.
    var ready = Queue<UInt64>()
    var threads = 0
    /// The keys whose current work has taken longer than `timeLimit`.
    var overdue: Set<UInt64> = []

    /// Returns the next work of a key, or else of a key that waits for a thread; `nil` if the thread must
    /// end.
    mutating func next(_ key: UInt64) -> (key: UInt64, work: Work)? {
      overdue.remove(key)
      if let work = dequeue(key) { return (key, work) }
      while let key = ready.popFirst() {
        if let work = dequeue(key) { return (key, work) }
      }
      threads -= 1
      return nil
    }

    /// Counts a new thread for a key and returns the number of threads; `nil` if the key must wait for a
    /// thread.
    mutating func addThread(_ key: UInt64) -> Int? {
      guard threads < KeyedWorkQueue.threadLimit else {
        ready.append(key)
        return nil
      }
      threads += 1
      return threads
    }

    /// Returns the next work of a key; frees the key if there is none.
    mutating func dequeue(_ key: UInt64) -> Work? {
      guard waiting[key]?.isEmpty == false else {
        waiting[key] = nil
        overdue.remove(key)
        return nil
      }
      return waiting[key]?.popFirst()
    }
  }

  /// The longest time that a caller waits for the work of a key.
  private static let timeLimit = DispatchTimeInterval.seconds(1)
  package static let threadLimit = 64
  private static let watch = DispatchQueue(label: "NetworkCore.cache.watch")

  private let state = Lock(State())
  private let callbacks: CallbackPool

  /// Creates a queue; `callbacks` calls the completion handlers.
  package init(callbacks: CallbackPool) {
    self.callbacks = callbacks
  }

  /// Whether a key has current or waiting work.
  func isBusy(_ key: UInt64) -> Bool { state.withLock { $0.waiting[key] != nil } }

  /// The keys with current or waiting work.
  var busyKeys: Set<UInt64> { state.withLock { Set($0.waiting.keys) } }

  /// Runs work on another thread, after all earlier work for the key.
  package func enqueue(_ key: UInt64, _ work: @escaping Work) {
    let threads = state.withLock { state in
      let isFree = state.waiting[key] == nil
      state.waiting[key, default: Queue()].append(work)
      return isFree ? state.addThread(key) : nil
    }
    if let threads { start(key, threads) }
  }

  /// Runs work as `enqueue(_:_:)` does, and calls `then` with its result.
  ///
  /// If this work or earlier work for the key takes longer than a second, `then` receives `ifOverdue()`
  /// instead, and the work still runs.
  package func enqueue<Result: Sendable>(
    _ key: UInt64, _ work: @escaping @Sendable () -> Result, ifOverdue: @escaping @Sendable () -> Result,
    then: @escaping @Sendable (Result) -> Void
  ) {
    let handler = Lock<(@Sendable (Result) -> Void)?>(then)
    // `result` is called later, because the caller may hold a lock.
    let end: @Sendable (@escaping @Sendable () -> Result) -> Void = { [callbacks] result in
      guard let then = handler.withLock({ $0.take() }) else { return }
      callbacks.call { then(result()) }
    }
    let isOverdue = state.withLock { $0.overdue.contains(key) }
    enqueue(key) {
      let result = work()
      end { result }
    }
    guard !isOverdue else { return end(ifOverdue) }
    Self.watch.asyncAfter(deadline: .now() + Self.timeLimit) { [self] in
      guard handler.withLock({ $0 != nil }) else { return }
      state.withLock { if $0.waiting[key] != nil { _ = $0.overdue.insert(key) } }
      end(ifOverdue)
    }
  }

  /// Runs work for each key and waits for it; on the calling thread if the key has no other work.
  package func perform(_ keys: some Collection<UInt64>, _ work: @escaping @Sendable (UInt64) -> Void) {
    let group = DispatchGroup()
    let free = state.withLock { state in
      keys.filter { key in
        guard state.waiting[key] == nil else { return false }
        state.waiting[key] = Queue()
        return true
      }
    }
    for key in Set(keys).subtracting(free) {
      group.enter()
      enqueue(key) {
        work(key)
        group.leave()
      }
    }
    for key in free {
      work(key)
      let threads = state.withLock { state -> Int? in
        guard state.waiting[key]?.isEmpty == false else {
          _ = state.dequeue(key)
          return nil
        }
        return state.addThread(key)
      }
      if let threads { start(key, threads) }
    }
    group.wait()
  }

  private func start(_ key: UInt64, _ number: Int) {
    BlockingThread.run(number: number, on: DispatchQueue(label: "NetworkCore.files")) { [self] in
      var next = state.withLock { $0.next(key) }
      while let (key, work) = next {
        work()
        next = state.withLock { $0.next(key) }
      }
    }
  }
}

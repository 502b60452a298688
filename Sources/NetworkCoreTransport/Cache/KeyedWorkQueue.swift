internal import Dispatch
internal import ReactiveNetworkLock

/// Runs work that may block on the threads of a pool: in the order of the calls for one key, and concurrently
/// for different keys.
///
/// Work that never returns blocks its key, and occupies a thread of the pool. When all are occupied, other
/// keys wait as well.
package final class KeyedWorkQueue: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    /// The keys with current or waiting work, each with its waiting work.
    var waiting: [UInt64: Queue<Work>] = [:]
    /// The keys whose current work has taken longer than `timeLimit`.
    var overdue: Set<UInt64> = []

    /// Frees a key, unless it has waiting work; returns whether it is free.
    mutating func free(_ key: UInt64) -> Bool {
      guard waiting[key]?.isEmpty != false else { return false }
      waiting[key] = nil
      overdue.remove(key)
      return true
    }

    /// Returns the next work of a key; frees the key if there is none.
    mutating func next(_ key: UInt64) -> Work? {
      overdue.remove(key)
      return free(key) ? nil : waiting[key]?.popFirst()
    }
  }

  /// The longest time that a caller waits for the work of a key.
  private static let timeLimit = DispatchTimeInterval.seconds(1)
  private static let watch = DispatchQueue(label: "NetworkCore.cache.watch")

  private let state = Lock(State())
  private let pool = BlockingWorkPool()
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
    let isFree = state.withLock { state in
      defer { state.waiting[key, default: Queue()].append(work) }
      return state.waiting[key] == nil
    }
    if isFree { pool.enqueue { self.workOff(key) } }
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
      if state.withLock({ $0.free(key) }) { continue }
      pool.enqueue { self.workOff(key) }
    }
    group.wait()
  }

  private func workOff(_ key: UInt64) {
    while let work = state.withLock({ $0.next(key) }) { work() }
  }
}

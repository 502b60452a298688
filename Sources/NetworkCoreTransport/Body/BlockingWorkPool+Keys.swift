internal import Dispatch
internal import ReactiveNetworkLock

/// The order of a pool's work with keys.
struct KeyedWork {
  typealias Work = BlockingWorkPool.Work

  /// The keys with current or waiting work, each with its waiting work.
  private var waiting: [UInt64: Queue<Work>] = [:]
  /// The keys whose current work has taken longer than the limit.
  private var overdue: Set<UInt64> = []

  /// The keys with current or waiting work.
  var busy: Set<UInt64> { Set(waiting.keys) }

  func isBusy(_ key: UInt64) -> Bool { waiting[key] != nil }

  func isOverdue(_ key: UInt64) -> Bool { overdue.contains(key) }

  mutating func noteOverdue(_ key: UInt64) {
    if isBusy(key) { overdue.insert(key) }
  }

  /// Makes a key busy; returns `false` if it already is.
  mutating func occupy(_ key: UInt64) -> Bool {
    guard !isBusy(key) else { return false }
    waiting[key] = Queue()
    return true
  }

  /// Adds work; returns whether the caller must start the work of the key.
  mutating func append(_ work: @escaping Work, for key: UInt64) -> Bool {
    let mustStart = occupy(key)
    waiting[key]?.append(work)
    return mustStart
  }

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

// Work with keys. Work that never returns blocks its key, and occupies a thread of the pool.
extension BlockingWorkPool {
  /// The longest time that a caller waits for the work of a key.
  private static let timeLimit = DispatchTimeInterval.seconds(1)
  private static let watch = DispatchQueue(label: "NetworkCore.blocking.watch")

  /// Whether a key has current or waiting work.
  func isBusy(_ key: UInt64) -> Bool { state.withLock { $0.keys.isBusy(key) } }

  /// The keys with current or waiting work.
  var busyKeys: Set<UInt64> { state.withLock { $0.keys.busy } }

  /// Runs work on another thread, after all earlier work for the key.
  package func enqueue(_ key: UInt64, _ work: @escaping Work) {
    if state.withLock({ $0.keys.append(work, for: key) }) { enqueue { self.workOff(key) } }
  }

  /// Runs work as `enqueue(_:_:)` does, and calls `then` with its result on a thread of `callbacks`.
  ///
  /// If this work or earlier work for the key takes longer than a second, `then` receives `ifOverdue()`
  /// instead, and the work still runs.
  package func enqueue<Result: Sendable>(
    _ key: UInt64, _ work: @escaping @Sendable () -> Result, ifOverdue: @escaping @Sendable () -> Result,
    on callbacks: CallbackPool, then: @escaping @Sendable (Result) -> Void
  ) {
    let handler = Lock<(@Sendable (Result) -> Void)?>(then)
    // `result` is called later, because the caller may hold a lock.
    let end: @Sendable (@escaping @Sendable () -> Result) -> Void = { result in
      guard let then = handler.withLock({ $0.take() }) else { return }
      callbacks.call { then(result()) }
    }
    let isOverdue = state.withLock { $0.keys.isOverdue(key) }
    enqueue(key) {
      let result = work()
      end { result }
    }
    guard !isOverdue else { return end(ifOverdue) }
    Self.watch.asyncAfter(deadline: .now() + Self.timeLimit) { [self] in
      guard handler.withLock({ $0 != nil }) else { return }
      state.withLock { $0.keys.noteOverdue(key) }
      end(ifOverdue)
    }
  }

  /// Runs work for each key and waits for it; on the calling thread if the key has no other work.
  package func perform(_ keys: some Collection<UInt64>, _ work: @escaping @Sendable (UInt64) -> Void) {
    let group = DispatchGroup()
    let free = state.withLock { state in keys.filter { state.keys.occupy($0) } }
    for key in Set(keys).subtracting(free) {
      group.enter()
      enqueue(key) {
        work(key)
        group.leave()
      }
    }
    for key in free {
      work(key)
      if state.withLock({ $0.keys.free(key) }) { continue }
      enqueue { self.workOff(key) }
    }
    group.wait()
  }

  private func workOff(_ key: UInt64) {
    while let work = state.withLock({ $0.keys.next(key) }) { work() }
  }
}

import ReactiveNetworkLock

/// The handlers that observe a state, and the pending deliveries.
///
/// The owner protects it with a lock. A thread that adds a delivery then calls `startDelivering()`. If that
/// returns `true`, the thread takes one delivery after the other from `next()` and makes it without the lock.
struct StateObservers<State> {
  typealias Handler = @Sendable (State) -> Void

  private var handlers: [Int: Handler] = [:]
  private var lastKey = 0
  private var deliveries = Queue<(key: Int, state: State)>()
  private var isDelivering = false

  /// Adds a handler, which first receives the current state; returns the key to remove it.
  mutating func add(_ handler: @escaping Handler, _ present: State) -> Int {
    lastKey += 1
    handlers[lastKey] = handler
    deliveries.append((lastKey, present))
    return lastKey
  }

  /// Removes a handler; the caller releases it without the lock.
  mutating func remove(_ key: Int) -> Handler? { handlers.removeValue(forKey: key) }

  /// Queues a state for all current handlers.
  mutating func send(_ state: State) {
    for key in handlers.keys.sorted() { deliveries.append((key, state)) }
  }

  /// Returns whether the calling thread must deliver.
  mutating func startDelivering() -> Bool {
    guard !isDelivering, !deliveries.isEmpty else { return false }
    isDelivering = true
    return true
  }

  /// Returns the next delivery; `nil` if there is none, which ends the delivery loop.
  mutating func next() -> (handler: Handler, state: State)? {
    while let (key, state) = deliveries.popFirst() {
      if let handler = handlers[key] { return (handler, state) }
    }
    isDelivering = false
    return nil
  }
}

import ReactiveNetworkLock

/// The handlers that observe a state, and an outbox of deliveries to them.
///
/// The owner protects it with a lock, and uses `start()` and `next()` as those of an `Outbox`.
struct StateObservers<State> {
  typealias Handler = @Sendable (State) -> Void
  typealias Delivery = (handler: Handler, state: State)

  private var handlers: [Int: Handler] = [:]
  private var lastKey = 0
  private var outbox = Outbox<(key: Int, state: State)>()

  /// Adds a handler, which first receives the current state; returns the key to remove it.
  mutating func add(_ handler: @escaping Handler, _ present: State) -> Int {
    lastKey += 1
    handlers[lastKey] = handler
    outbox.append((lastKey, present))
    return lastKey
  }

  /// Removes a handler; the caller releases it without the lock.
  mutating func remove(_ key: Int) -> Handler? { handlers.removeValue(forKey: key) }

  /// Queues a state for all current handlers.
  mutating func send(_ state: State) {
    for key in handlers.keys.sorted() { outbox.append((key, state)) }
  }

  /// Returns the oldest delivery if the caller must make it.
  mutating func start() -> Delivery? { delivery(outbox.start()) }

  /// Returns the next delivery; `nil` ends the caller's turn.
  mutating func next() -> Delivery? { delivery(outbox.next()) }

  private mutating func delivery(_ oldest: (key: Int, state: State)?) -> Delivery? {
    var next = oldest
    while let (key, state) = next {
      if let handler = handlers[key] { return (handler, state) }
      next = outbox.next()
    }
    return nil
  }
}

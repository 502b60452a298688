import NetworkCore
import ReactiveNetworkLock
import RxLite

/// The messages that a `WebSocketSubject` has to send: over the open connection, or the next one.
final class WebSocketOutgoing: Sendable {
  private struct Step {
    let message: OutgoingMessage
    let connection: AnyObserver<OutgoingMessage>
  }

  private struct State {
    let limit: Int
    /// What waits for a connection; empty if that is too much.
    var waiting: [OutgoingMessage] = []
    /// The bytes that wait, or were too many.
    var byteCount = 0
    /// What the open connection has not taken.
    var outbox = Outbox<OutgoingMessage>()
    /// Sends over the open connection.
    var connection: AnyObserver<OutgoingMessage>?
    /// The topics that have begun on the open connection.
    var openTopics: Set<Int> = []
    /// The number of connections so far.
    var connections = 0
    /// The number of topics so far.
    var topics = 0
    /// What was dropped because too much waited.
    var dropped: [OutgoingMessage] = []

    var isFull: Bool { byteCount > limit }

    /// Adds an item; returns what the caller must send.
    mutating func add(_ item: OutgoingMessage) -> Step? {
      guard connection == nil else {
        take(item)
        return step(outbox.start())
      }
      wait([item])
      return nil
    }

    /// Returns what the thread that sends must send next.
    mutating func next() -> Step? {
      let item = outbox.next()
      guard connection == nil, var left = item.map({ [$0] }) else { return step(item) }
      while let item = outbox.next() { left.append(item) }
      // The topics of a connection end with it.
      let later = waiting
      (waiting, byteCount) = ([], isFull ? byteCount : 0)
      wait(left.filter(\.isContent) + later)
      return nil
    }

    /// Makes what waits the first that a connection sends; returns what the caller must send.
    mutating func open(_ connection: AnyObserver<OutgoingMessage>) -> Step? {
      for item in waiting { take(item) }
      (waiting, byteCount, self.connection) = ([], 0, connection)
      return step(outbox.start())
    }

    mutating func takeDropped() -> [OutgoingMessage] {
      defer { dropped = [] }
      return dropped
    }

    /// Ends a connection, and the topics with it.
    mutating func close(_ number: Int) {
      if connections == number { (connection, openTopics) = (nil, []) }
    }

    /// Forgets a topic; returns `true` if the server has to be told.
    mutating func end(_ topic: Int) -> Bool {
      if let index = waiting.firstIndex(where: { $0.topic == topic }) {
        byteCount -= waiting.remove(at: index).message.byteCount
      }
      return openTopics.remove(topic) != nil
    }

    private mutating func take(_ item: OutgoingMessage) {
      outbox.append(item)
      if let topic = item.topic { openTopics.insert(topic) }
    }

    private mutating func wait(_ items: [OutgoingMessage]) {
      waiting += items
      for item in items where !isFull { byteCount += item.message.byteCount }
      if isFull { (dropped, waiting) = (dropped + waiting, []) }
    }

    private func step(_ item: OutgoingMessage?) -> Step? {
      guard let item, let connection else { return nil }
      return Step(message: item, connection: connection)
    }
  }

  private let state: Lock<State>
  /// The messages that were not sent.
  let unsent = PublishSubject<WebSocketMessage>()

  /// Creates an empty queue in which at most `limit` bytes wait for a connection.
  init(limit: Int) {
    state = Lock(State(limit: limit))
  }

  func send(_ message: WebSocketMessage) {
    deliver(from: state.withLock { $0.add(OutgoingMessage(message)) })
  }

  /// Sends the message that begins a topic; returns the topic.
  func beginTopic(_ message: WebSocketMessage) -> Int {
    let (topic, first) = state.withLock { state in
      state.topics += 1
      return (state.topics, state.add(OutgoingMessage(message, .begin(topic: state.topics))))
    }
    deliver(from: first)
    return topic
  }

  /// Sends the message that ends a topic, if the connection is still open on which the topic has begun.
  func endTopic(_ topic: Int, _ message: WebSocketMessage) {
    deliver(
      from: state.withLock { state in
        state.end(topic) ? state.add(OutgoingMessage(message, .end)) : nil
      })
  }

  /// The messages for one connection, which subscribes when it is open.
  func asObservable() -> Observable<OutgoingMessage> {
    Observable.create { [self] observer in
      let (number, first, limit) = state.withLock { state -> (Int, Step?, Int?) in
        state.connections += 1
        guard state.isFull else { return (state.connections, state.open(observer), nil) }
        state.byteCount = 0
        return (state.connections, nil, state.limit)
      }
      if let limit {
        observer.onError(NetworkError.underlying(WebSocketError.sendQueueFull(limit: limit), nil))
      }
      deliver(from: first)
      return Disposables.create { [self] in
        state.withLock { $0.close(number) }
      }
    }
  }

  private func deliver(from first: Step?) {
    var step = first
    while let current = step {
      current.connection.onNext(current.message)
      step = state.withLock { $0.next() }
    }
    for message in state.withLock({ $0.takeDropped() }) { report(message) }
  }

  /// Reports a message that was not sent.
  @Sendable func report(_ message: OutgoingMessage) {
    if message.isContent { unsent.onNext(message.message) }
  }
}

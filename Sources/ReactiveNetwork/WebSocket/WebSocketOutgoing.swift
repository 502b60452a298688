import NetworkCore
import ReactiveNetworkLock
import RxLite

/// The messages that a `WebSocketSubject` has to send: over the newest connection, or else the next one.
///
/// A topic belongs to the connection that its subscription has joined.
final class WebSocketOutgoing: Sendable {
  /// Sends a message over a connection, or reports it as not sent if the connection has ended.
  typealias Sender = @Sendable (OutgoingMessage) -> Void

  /// The connection that is open.
  private struct OpenConnection {
    /// Sends a message over it.
    let sender: Sender
    /// What it has not taken.
    var outbox = Outbox<OutgoingMessage>()
    /// The topics that have begun on it.
    var topics: Set<Int> = []

    mutating func take(_ item: OutgoingMessage) {
      outbox.append(item)
      if let topic = item.topic { topics.insert(topic) }
    }
  }

  private struct Step {
    let message: OutgoingMessage
    let sender: Sender
    let linkNumber: Int
  }

  private struct State {
    let limit: Int
    /// What waits for a connection; empty if that is too much.
    var waiting: [OutgoingMessage] = []
    /// The bytes that wait, or were too many.
    var byteCount = 0
    /// The number of the newest connection.
    var linkNumber = 0
    /// The newest connection; `nil` unless it is open.
    var connection: OpenConnection?
    /// The number of topics so far.
    var topics = 0
    /// What was dropped because too much waited.
    var dropped: [OutgoingMessage] = []

    var isFull: Bool { byteCount > limit }

    /// Adds an item; returns what the caller must send.
    mutating func add(_ item: OutgoingMessage) -> Step? {
      guard connection != nil else {
        wait([item])
        return nil
      }
      connection?.take(item)
      return step(connection?.outbox.start())
    }

    /// Returns what the thread that sends over a connection must send next.
    mutating func next(of number: Int) -> Step? {
      number == linkNumber ? step(connection?.outbox.next()) : nil
    }

    /// Makes what waits the first that a connection sends; returns what the caller must send.
    mutating func open(_ number: Int, _ sender: @escaping Sender) -> Step? {
      // A connection that was given up can open late.
      guard number == linkNumber else { return nil }
      var new = OpenConnection(sender: sender)
      for item in waiting { new.take(item) }
      (waiting, byteCount, connection) = ([], 0, new)
      return step(connection?.outbox.start())
    }

    /// Ends a connection, whose content that is left waits for the next one.
    mutating func close(_ number: Int) {
      guard number == linkNumber, var closed = connection.take() else { return }
      var left: [OutgoingMessage] = []
      while let item = closed.outbox.next() { left.append(item) }
      wait(left.filter(\.isContent))
    }

    /// Begins a connection; returns its number.
    mutating func link() -> Int {
      close(linkNumber)
      for item in waiting where !item.isContent { byteCount -= item.message.bufferedByteCount }
      waiting.removeAll { !$0.isContent }
      linkNumber += 1
      return linkNumber
    }

    mutating func takeDropped() -> [OutgoingMessage] { exchange(&dropped, with: []) }

    /// Forgets a topic; returns `true` if the server has to be told.
    mutating func end(_ topic: Int) -> Bool {
      if let index = waiting.firstIndex(where: { $0.topic == topic }) {
        byteCount -= waiting.remove(at: index).message.bufferedByteCount
      }
      return connection?.topics.remove(topic) != nil
    }

    private mutating func wait(_ items: [OutgoingMessage]) {
      waiting += items
      for item in items where !isFull { byteCount += item.message.bufferedByteCount }
      if isFull { (dropped, waiting) = (dropped + waiting, []) }
    }

    private func step(_ item: OutgoingMessage?) -> Step? {
      guard let item, let connection else { return nil }
      return Step(message: item, sender: connection.sender, linkNumber: linkNumber)
    }
  }

  private let state: Lock<State>
  /// The messages that were not sent.
  let unsent = PublishSubject<WebSocketMessage>()

  /// Creates an empty queue in which at most `limit` bytes wait for a connection.
  init(limit: Int) {
    state = Lock(State(limit: limit))
  }

  /// Begins a connection, before it is opened; the topics of those before it are over.
  func link() -> WebSocketLink {
    let number = state.withLock { $0.link() }
    deliver(from: nil)
    return WebSocketLink(number: number)
  }

  func send(_ message: WebSocketMessage) {
    deliver(from: state.withLock { $0.add(OutgoingMessage(message)) })
  }

  /// Sends the message that begins a topic, unless the connection is over; returns the topic.
  func beginTopic(_ message: WebSocketMessage, on link: WebSocketLink) -> Int {
    let (topic, first) = state.withLock { state -> (Int, Step?) in
      state.topics += 1
      guard link.number == state.linkNumber else { return (state.topics, nil) }
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

  /// Returns a sequence that sends the messages over an open connection while it is subscribed to; it fails if too
  /// many have waited.
  ///
  /// The messages are not its elements: the end of the subscription would drop a message that is being sent.
  func sending(over link: WebSocketLink, by sender: @escaping Sender) -> Observable<OutgoingMessage> {
    Observable.create { [self] observer in
      let (first, limit) = state.withLock { state -> (Step?, Int?) in
        guard state.isFull else { return (state.open(link.number, sender), nil) }
        state.byteCount = 0
        return (nil, state.limit)
      }
      if let limit {
        observer.onError(NetworkError.underlying(WebSocketError.sendQueueFull(limit: limit), nil))
      }
      deliver(from: first)
      return Disposables.create { [self] in
        state.withLock { $0.close(link.number) }
        deliver(from: nil)
      }
    }
  }

  private func deliver(from first: Step?) {
    var step = first
    while let current = step {
      current.sender(current.message)
      step = state.withLock { $0.next(of: current.linkNumber) }
    }
    for message in state.withLock({ $0.takeDropped() }) { report(message) }
  }

  /// Reports a message that was not sent.
  @Sendable func report(_ message: OutgoingMessage) {
    if message.isContent { unsent.onNext(message.message) }
  }
}

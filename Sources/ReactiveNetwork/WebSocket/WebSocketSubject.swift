public import NetworkCore
import ReactiveNetworkLock
public import RxLite

/// A WebSocket that several subscriptions share; returned by `rx.webSocketSubject(_:)`.
///
/// ```swift
/// let feed = provider.rx.webSocketSubject(.feed)
/// let bitcoin = feed.multiplex(subscribe: .text("+BTC"), unsubscribe: .text("-BTC")) { message in
///   message.text?.hasPrefix("BTC") == true
/// }
/// ```
///
/// The first subscription opens the connection, and the end of the last one closes it (1001). After the
/// connection has ended, the next subscription opens another one, so `retry` works on every sequence that comes
/// from it.
public final class WebSocketSubject: ObservableType, Sendable {
  /// A message of the server.
  public typealias Element = WebSocketMessage

  private let outgoing: WebSocketOutgoing
  private let messages: Observable<WebSocketMessage>

  init(
    limit: Int, open: (_ outgoing: Observable<WebSocketMessage>) -> Observable<WebSocketMessage>
  ) {
    let outgoing = WebSocketOutgoing(limit: limit)
    self.outgoing = outgoing
    messages = open(outgoing.asObservable()).share()
  }

  /// Sends a message over the connection, after those that were sent before; if none is open, over the next one.
  ///
  /// If more bytes than `WebSocketOptions.sendQueueLimit` wait for a connection, the next one fails with
  /// `WebSocketError.sendQueueFull`, and nothing that waits is sent. May be called on any thread.
  ///
  /// - Parameter message: the message.
  public func send(_ message: WebSocketMessage) {
    outgoing.send(message)
  }

  /// Subscribes to all messages of the server.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == WebSocketMessage {
    messages.subscribe(observer)
  }

  /// Returns the messages about one of several topics that share the connection.
  ///
  /// - Parameters:
  ///   - subscribe: sent to the server at each subscription.
  ///   - unsubscribe: sent when the subscription ends before the connection.
  ///   - isIncluded: whether a message of the server is about the topic.
  /// - Returns: the sequence of the messages; it ends with the connection, and may be retried.
  @preconcurrency public func multiplex(
    subscribe: WebSocketMessage, unsubscribe: WebSocketMessage,
    where isIncluded: @escaping @Sendable (WebSocketMessage) throws -> Bool
  ) -> Observable<WebSocketMessage> {
    let outgoing = outgoing
    let included = messages.filter(isIncluded)
    return Observable.create { observer in
      outgoing.send(subscribe)
      let subscription = included.subscribe(observer)
      return Disposables.create {
        outgoing.sendIfOpen(unsubscribe)
        subscription.dispose()
      }
    }
  }
}

/// The messages that are to be sent: over the open connection, or the next one.
private final class WebSocketOutgoing: Sendable {
  private struct State {
    var outbox = Outbox<WebSocketMessage>()
    /// The bytes of the messages that wait for a connection.
    var byteCount = 0
    /// Sends over the open connection.
    var connection: AnyObserver<WebSocketMessage>?
    /// The number of connections so far.
    var number = 0

    /// Adds a message; returns what the caller must send.
    mutating func add(_ message: WebSocketMessage) -> Step? {
      outbox.append(message)
      guard let connection else {
        byteCount += message.byteCount
        return nil
      }
      return outbox.start().map { Step(message: $0, connection: connection) }
    }

    /// Returns what the thread that sends must send next.
    mutating func next() -> Step? {
      if let connection { return outbox.next().map { Step(message: $0, connection: connection) } }
      // The rest waits for the next connection.
      var rest = Outbox<WebSocketMessage>()
      while let message = outbox.next() {
        rest.append(message)
        byteCount += message.byteCount
      }
      outbox = rest
      return nil
    }
  }

  private struct Step {
    let message: WebSocketMessage
    let connection: AnyObserver<WebSocketMessage>
  }

  private let limit: Int
  private let state = Lock(State())

  init(limit: Int) {
    self.limit = limit
  }

  func send(_ message: WebSocketMessage) {
    deliver(from: state.withLock { $0.add(message) })
  }

  /// Sends a message that is meant for the open connection only.
  func sendIfOpen(_ message: WebSocketMessage) {
    deliver(from: state.withLock { $0.connection == nil ? nil : $0.add(message) })
  }

  /// The messages for one connection, which subscribes when it is open.
  func asObservable() -> Observable<WebSocketMessage> {
    Observable.create { observer in
      let limit = self.limit
      let (number, isFull, first) = self.state.withLock { state -> (Int, Bool, Step?) in
        state.number += 1
        let isFull = state.byteCount > limit
        if isFull { state.outbox = Outbox() }
        (state.byteCount, state.connection) = (0, isFull ? nil : observer)
        let first = isFull ? nil : state.outbox.start()
        return (state.number, isFull, first.map { Step(message: $0, connection: observer) })
      }
      if isFull { observer.onError(NetworkError.underlying(WebSocketError.sendQueueFull(limit: limit), nil)) }
      self.deliver(from: first)
      return Disposables.create {
        self.state.withLock { if $0.number == number { $0.connection = nil } }
      }
    }
  }

  private func deliver(from first: Step?) {
    var step = first
    while let current = step {
      current.connection.onNext(current.message)
      step = state.withLock { $0.next() }
    }
  }
}

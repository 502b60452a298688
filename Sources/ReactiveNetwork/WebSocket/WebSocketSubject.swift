public import NetworkCore
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
    limit: Int, open: (_ outgoing: WebSocketOutgoing) -> Observable<WebSocketMessage>
  ) {
    let outgoing = WebSocketOutgoing(limit: limit)
    self.outgoing = outgoing
    messages = open(outgoing).share()
  }

  /// The messages of `send(_:)` that no connection has sent completely; those of topics are not among them,
  /// because a repeated subscription sends them again.
  ///
  /// They are reported when their connection ends, before its subscriptions end, or when too much waits for a
  /// connection; if the server has violated the protocol, perhaps later. What has been sent may have been lost
  /// as well.
  public var unsent: Observable<WebSocketMessage> { outgoing.unsent.asObservable() }

  /// Sends a message over the connection, after those that were sent before; if none is open, over the next one.
  ///
  /// If more bytes than `WebSocketOptions.sendQueueLimit` wait for a connection, what waits is dropped, and the
  /// next connection fails with `WebSocketError.sendQueueFull`. May be called on any thread.
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
  ///   - subscribe: sent to the server at each subscription, when the connection is open.
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
      let subscription = included.subscribe(observer)
      // Not before, because the answer may come at once. A sequence that has ended by now disposes the result,
      // which takes the topic back.
      let topic = outgoing.beginTopic(subscribe)
      return Disposables.create {
        outgoing.endTopic(topic, unsubscribe)
        subscription.dispose()
      }
    }
  }
}

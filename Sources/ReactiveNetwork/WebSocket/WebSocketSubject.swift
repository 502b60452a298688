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
  /// The connection, which new subscriptions join; ends before its messages do.
  private let links: Observable<WebSocketLink>

  init(limit: Int, connect: (_ outgoing: WebSocketOutgoing) -> Observable<WebSocketLink>) {
    let outgoing = WebSocketOutgoing(limit: limit)
    self.outgoing = outgoing
    links = connect(outgoing).share(replay: 1)
  }

  /// The messages of `send(_:)` that no connection has sent completely; those of topics are not among them,
  /// because a repeated subscription sends them again.
  ///
  /// They are reported when their connection ends, before its subscriptions end, or when too much waits for a
  /// connection; if the server has violated the protocol, or another thread is sending a message at that moment,
  /// perhaps later. What has been sent may have been lost as well.
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
    joined { link, observer in link.messages.subscribe(observer) }.subscribe(observer)
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
    joined { [outgoing] link, observer in
      let subscription = link.messages.filter(isIncluded).subscribe(observer)
      // Not before, because the answer may come at once. A sequence that has ended by now disposes the result,
      // which takes the topic back.
      let topic = outgoing.beginTopic(subscribe, on: link)
      return Disposables.create {
        outgoing.endTopic(topic, unsubscribe)
        subscription.dispose()
      }
    }
  }

  /// Returns the messages that a closure subscribes to on the connection that the subscription joins.
  private func joined(
    _ subscribe: @escaping @Sendable (WebSocketLink, AnyObserver<WebSocketMessage>) -> any Disposable
  ) -> Observable<WebSocketMessage> {
    let links = links
    return Observable.create { observer in
      let content = SingleAssignmentDisposable()
      let connection = links.subscribe(
        observer.calling { event in
          switch event {
          case .next(let link): content.setDisposable(subscribe(link, observer))
          case .error(let error): observer.onError(error)
          case .completed: break  // The messages complete after it.
          }
        })
      return Disposables.create {
        // Takes the topic back while the connection is there.
        content.dispose()
        connection.dispose()
      }
    }
  }
}

public import Dispatch
public import NetworkCore
import ReactiveNetworkLock
public import RxLite

extension Reactive where Base: WebSocketProviderType {
  /// Returns the messages of a WebSocket, over which the elements of another sequence are sent; each
  /// subscription opens a connection.
  ///
  /// ```swift
  /// let commands = PublishSubject<WebSocketMessage>()
  /// provider.rx.webSocket(.ticker, sending: commands)
  ///   .subscribe(onNext: { print($0) })
  ///   .disposed(by: bag)
  /// ```
  ///
  /// The sequence completes if the server closes with 1000, 1001 or without a code, and otherwise fails. An
  /// observer that blocks makes the server wait after 256 KiB of messages are buffered. Disposing closes the
  /// connection (1001); nothing is delivered afterwards.
  ///
  /// `outgoing` is subscribed to when the server has accepted the handshake: elements that a subject sends
  /// before are lost, those of a replaying or cold sequence are not. Each element is sent after the one before
  /// it. If one cannot be sent, the sequence fails, because nothing repeats it. When `outgoing` completes, the
  /// connection stays open, unless `closesAfterSending` is set; if it fails, the connection closes (1011) and the
  /// sequence fails with its error.
  ///
  /// - Parameters:
  ///   - target: the target, whose method must be GET.
  ///   - options: subprotocols and limits.
  ///   - outgoing: the messages to send.
  ///   - closesAfterSending: whether to close the connection (1000) after the last message of `outgoing`; the
  ///     sequence delivers what the server still sends, and completes when it has closed as well.
  ///   - unsent: receives the messages of `outgoing` that a connection has not sent completely when it ends, in
  ///     their order and before the sequence ends; if the server has violated the protocol, on a background
  ///     thread and perhaps later. What has been sent may have been lost as well.
  ///   - callbackQueue: the queue on which the messages are delivered; `nil` for the provider's queue, or for a
  ///     background queue of this subscription if the provider has none. Without a queue, a stub is delivered
  ///     on the thread that causes it.
  /// - Returns: the sequence of the server's messages, which fails with a `NetworkError` or the error of
  ///   `outgoing`.
  public func webSocket(
    _ target: Base.Target, options: WebSocketOptions = WebSocketOptions(),
    sending outgoing: Observable<WebSocketMessage> = .never(), closesAfterSending: Bool = false,
    unsent: AnyObserver<WebSocketMessage>? = nil, callbackQueue: DispatchQueue? = nil
  ) -> Observable<WebSocketMessage> {
    var report: (@Sendable (OutgoingMessage) -> Void)?
    if let unsent { report = { unsent.onNext($0.message) } }
    return Observable.create { [report] observer in
      connect(
        target, options, { _ in outgoing.map { OutgoingMessage($0) } },
        closesAfterSending: closesAfterSending, callbackQueue, onUnsent: report, observer)
    }
  }

  /// Opens a connection, whose messages an observer receives; `outgoing` returns the messages to send, and may also
  /// send them with the closure that it gets.
  private func connect(
    _ target: Base.Target, _ options: WebSocketOptions,
    _ outgoing: @escaping @Sendable (@escaping WebSocketOutgoing.Sender) -> Observable<OutgoingMessage>,
    closesAfterSending: Bool, _ callbackQueue: DispatchQueue?,
    onUnsent: (@Sendable (OutgoingMessage) -> Void)?, _ observer: AnyObserver<WebSocketMessage>
  ) -> any Disposable {
    guard let request = admit(target, in: observer.context, refuse: { observer.onError($0) }) else {
      return Disposables.create()
    }
    let sending = SingleAssignmentDisposable()
    let unsent = onUnsent.map { UnsentMessages(report: $0) }
    let failure = Lock(nil as (any Error)?)
    // The end follows when all that was not sent is known.
    let fail: @Sendable (WebSocketConnection, any Error) -> Void = { connection, error in
      failure.withLock { $0 = $0 ?? error }
      connection.cancel()
    }
    let receive: @Sendable (WebSocketEvent) -> Void = { event in
      switch event {
      case .opened(let connection, _):
        let send: WebSocketOutgoing.Sender = { message in
          let number = unsent?.nextNumber() ?? 0
          connection.enqueue(message.message) { error in
            guard let error else { return }
            unsent?.add(message, number)
            if error != .notOpen { fail(connection, NetworkError.underlying(error, nil)) }
          }
        }
        sending.setDisposable(
          outgoing(send).subscribe { outgoingEvent in
            switch outgoingEvent {
            case .next(let message): send(message)
            case .error(let error):
              connection.close(code: .internalError)
              fail(connection, error)
            case .completed: if closesAfterSending { connection.close() }
            }
          })
      case .message(let message): observer.onNext(message)
      case .finished(let error):
        sending.dispose()
        unsent?.reportAll()
        if let error { request.end(error) }
        if let error = failure.withLock({ $0 }) ?? error {
          observer.onError(error)
        } else {
          observer.onCompleted()
        }
      }
    }
    let connection = request.start {
      base.webSocket(target, options: options, callbackQueue: callbackQueue, receive: receive)
    }
    return Disposables.create {
      sending.dispose()
      connection.cancel()
    }
  }

  /// Returns a WebSocket that several subscriptions share: the first one opens the connection.
  ///
  /// - Parameters:
  ///   - target: the target, whose method must be GET.
  ///   - options: subprotocols and limits.
  ///   - callbackQueue: the queue on which the messages are delivered, as for
  ///     ``webSocket(_:options:sending:closesAfterSending:unsent:callbackQueue:)``.
  /// - Returns: the sequence of the server's messages, over whose connection messages can be sent.
  public func webSocketSubject(
    _ target: Base.Target, options: WebSocketOptions = WebSocketOptions(), callbackQueue: DispatchQueue? = nil
  ) -> WebSocketSubject {
    WebSocketSubject(limit: options.sendQueueLimit) { outgoing in
      Observable.create { observer in
        let link = outgoing.link()
        observer.onNext(link)
        let messages: AnyObserver<WebSocketMessage> = observer.calling { event in
          switch event {
          case .next(let message): link.messages.onNext(message)
          case .error(let error): observer.onError(error)
          case .completed:
            // In this order, a subscription that follows the completion opens another connection.
            observer.onCompleted()
            link.messages.onCompleted()
          }
        }
        return connect(
          target, options, { outgoing.sending(over: link, by: $0) }, closesAfterSending: false, callbackQueue,
          onUnsent: outgoing.report, messages)
      }
    }
  }
}

public import NetworkCore
public import RxLite

extension WebSocketScript {
  /// Creates a script whose server sends the elements of a sequence, for each connection anew.
  ///
  /// ```swift
  /// let echo = WebSocketScript { sent in sent }
  /// stubs.add(path: "/echo", [.webSocket(echo)])
  /// ```
  ///
  /// When the sequence completes, the server closes with 1000. An error is what the client fails with;
  /// `WebSocketError.closed` makes the server close with that code. The sequence is disposed when the
  /// connection ends.
  ///
  /// - Parameters:
  ///   - subprotocol: the subprotocol that the server chooses; `nil` for none.
  ///   - answersPings: whether the server responds to pings.
  ///   - serve: called when a connection opens, with the client's messages, which complete with the connection;
  ///     returns the server's messages.
  @preconcurrency public convenience init(
    subprotocol: String? = nil, answersPings: Bool = true,
    serve: @escaping @Sendable (_ sent: Observable<WebSocketMessage>) -> Observable<WebSocketMessage>
  ) {
    self.init(subprotocol: subprotocol, answersPings: answersPings) { (socket: StubbedWebSocket) in
      let sent = PublishSubject<WebSocketMessage>()
      let subscription = serve(sent.asObservable()).subscribe { event in
        switch event {
        case .next(let message): socket.send(message)
        case .completed: socket.close(code: .normalClosure)
        case .error(let error):
          let error = NetworkError(wrapping: error)
          guard case .underlying(WebSocketError.closed(let code, let reason), _) = error else {
            return socket.fail(error)
          }
          socket.close(code: code, reason: reason)
        }
      }
      socket.onEnd {
        sent.onCompleted()
        subscription.dispose()
      }
      return { sent.onNext($0) }
    }
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries a WebSocket in a request: its frames are the body of the request and of the response.
struct WebSocketBodyDelivery: BodyDelivery {
  let connection: WebSocketConnection
  let session: Session
  let target: any TargetType

  /// `false` after the handshake, because messages may have been sent.
  var isRepeatable: Bool { !connection.buffer.hasResponse }

  func prepare(
    _ request: URLRequest, isStub: Bool, then: @escaping @Sendable (Result<URLRequest, NetworkError>) -> Void
  ) {
    var request = request
    connection.handshake.apply(to: &request)
    then(.success(request))
  }

  func complete(_ outgoing: inout TransportRequest, for transport: any Transport) throws(NetworkError) {
    guard transport.upgradesConnections else {
      throw .underlying(WebSocketError.unsupportedByTransport, nil)
    }
    outgoing.upgradesConnection = true
    outgoing.responseBodyLimit = nil
    // The pings take the place of the session's time limit, but not of a limit of the request itself; the options
    // have a limit for the handshake.
    if connection.options.pingInterval > .zero, session.hasDefaultTimeout(outgoing, of: target) {
      outgoing.idleTimeout = .zero
    }
    // Reading frames never blocks, unlike the code of a layer around the transport.
    outgoing.deliversOnLoop = transport.deliversWithoutBlocking
    let frames = connection.sendQueue
    // Nothing is sent before the 101, so after a redirect another transfer can open the stream.
    outgoing.body = .stream(
      BodyStream(
        .init(length: nil) { frames.takenCount == 0 ? frames.open(onBytesAvailable: $0) : nil },
        isRepeatable: true))
  }

  func receiver(of attempt: RequestAttempt) -> BodyReceiver {
    // Retriers and plugins may block, and must not do so on the loop.
    let scheduler = attempt.isStub ? nil : DispatchDelayScheduler()
    return BodyReceiver(
      of: attempt, buffer: connection.buffer, decide: { decide($0, to: attempt.request) },
      onEnd: { attempt.finish($0, on: scheduler) },
      onRejection: { finish in
        if let scheduler { _ = scheduler.schedule(after: .zero, finish) } else { finish() }
      })
  }

  func play(
    _ script: WebSocketScript, to receiver: BodyReceiver, of attempt: RequestAttempt,
    _ scheduler: any DelayScheduler
  ) -> (any Cancellable)? {
    let socket = StubbedWebSocket(
      connection.sendQueue, receiver, attempt, scheduler, answersPings: script.answersPings)
    socket.play(script)
    return socket
  }

  private func decide(_ response: Response, to request: URLRequest) -> HeadDecision {
    guard response.statusCode == 101 else {
      return .reject { response, _ in .failure(.statusCode(response)) }
    }
    guard let problem = connection.handshake.problem(of: response.headers, to: request) else {
      return .accept
    }
    return .reject { response, _ in
      .failure(.underlying(WebSocketError.invalidHandshake(reason: problem), response))
    }
  }
}

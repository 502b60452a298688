public import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the server of a stubbed WebSocket does; played anew for each connection.
///
/// ```swift
/// let time = ManualDelayScheduler()
/// let stubs = StubTable<Exchange>()
/// stubs.add(
///   path: "/feed", [.webSocket([.receive(.text("+BTC")), .wait(.seconds(5)), .send(.text("BTC:100"))])])
/// let provider = NetworkProvider<Exchange>(stubs: stubs, scheduler: time)
/// ```
///
/// The provider's scheduler measures the time, so a test decides when it passes. After the last step, the
/// connection stays open until the client closes it. Handshake, frames, plugins, interceptors and observers are
/// those of a real connection; only the network is missing, and nothing is compressed.
///
/// Without a callback queue, what the server does is delivered on the thread that causes it: the one that
/// subscribes, sends, or advances the time. A slow receiver does not make the script wait: its messages are buffered
/// without limit.
public final class WebSocketScript: Sendable, ExpressibleByArrayLiteral {
  /// A step of the server.
  public enum Step: Sendable, Hashable {
    /// Sends a message.
    case send(WebSocketMessage)
    /// Waits for the client's next message; if it is another one, the connection fails with
    /// `UnexpectedMessageError`.
    case receive(WebSocketMessage)
    /// Waits for a duration.
    case wait(Duration)
    /// Closes the connection.
    case close(WebSocketCloseCode, reason: String = "")
    /// Ends the connection without a close frame: the client fails with `TransferError.connectionLost`.
    case disconnect
  }

  /// The subprotocol that the server chooses; `nil` for none.
  let subprotocol: String?
  /// Whether the server responds to pings.
  let answersPings: Bool
  /// Serves a connection; returns the closure that receives the client's messages.
  private let serve: @Sendable (StubbedWebSocket) -> @Sendable (WebSocketMessage) -> Void
  private let messages = Lock([WebSocketMessage]())

  /// Creates a script.
  ///
  /// - Parameters:
  ///   - steps: the steps of the server, in order.
  ///   - subprotocol: the subprotocol that the server chooses; `nil` for none.
  ///   - answersPings: whether the server responds to pings.
  public convenience init(_ steps: [Step], subprotocol: String? = nil, answersPings: Bool = true) {
    self.init(subprotocol: subprotocol, answersPings: answersPings) { socket in
      let run = WebSocketScriptRun(steps, on: socket)
      run.resume()
      return { run.receive($0) }
    }
  }

  /// Creates a script from its steps.
  public convenience init(arrayLiteral steps: Step...) {
    self.init(steps)
  }

  /// Creates a script from a closure that serves a connection.
  ///
  /// - Parameters:
  ///   - subprotocol: the subprotocol that the server chooses; `nil` for none.
  ///   - answersPings: whether the server responds to pings.
  ///   - serve: called when a connection opens; returns the closure that receives the client's messages.
  package init(
    subprotocol: String?, answersPings: Bool,
    serve: @escaping @Sendable (StubbedWebSocket) -> @Sendable (WebSocketMessage) -> Void
  ) {
    self.subprotocol = subprotocol
    self.answersPings = answersPings
    self.serve = serve
  }

  /// The messages that the server has received, over all connections.
  public var received: [WebSocketMessage] { messages.withLock { $0 } }

  /// Serves a connection; returns the closure that receives the client's messages.
  func begin(on socket: StubbedWebSocket) -> @Sendable (WebSocketMessage) -> Void {
    let receive = serve(socket)
    return { message in
      self.messages.withLock { $0.append(message) }
      receive(message)
    }
  }

  /// The response to a handshake.
  func response(to request: URLRequest) -> Response {
    guard let key = request.value(forHTTPHeaderField: "Sec-WebSocket-Key") else {
      return Response(statusCode: 426, data: Data(), request: request)
    }
    var headers = WebSocketHandshake.acceptance(of: key)
    headers["Sec-WebSocket-Protocol"] = subprotocol
    let head = ResponseHead(statusCode: 101, url: request.url?.absoluteString ?? "", headers: headers)
    return Response(head: head, data: Data(), request: request, metrics: nil, script: self)
  }
}

/// The client of a `WebSocketScript` has sent another message than the script expects.
public struct UnexpectedMessageError: Error, Sendable, Hashable, LocalizedError {
  /// The message of the script.
  public let expected: WebSocketMessage
  /// The client's message.
  public let actual: WebSocketMessage

  /// A description in one line.
  public var errorDescription: String? {
    "The stubbed WebSocket received \(actual), but its script expects \(expected)."
  }
}

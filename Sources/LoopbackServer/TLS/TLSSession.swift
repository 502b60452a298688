import CLoopbackServer
import ReactiveNetworkLock

/// The TLS of one connection.
final class TLSSession: Sendable {
  private struct State {
    let session: OpaquePointer
    /// Whether the last receiving waits until the socket can send.
    var receivingWaitsForOutput = false
    /// Whether the last sending waits for input.
    var sendingWaitsForInput = false
  }

  private let state: Lock<State>
  /// Keeps the settings alive.
  private let context: TLSContext

  init(_ session: OpaquePointer, context: TLSContext) {
    state = Lock(State(session: session))
    self.context = context
  }

  deinit {
    state.withLock { cloopback_session_free($0.session) }
  }

  /// Whether the server never answers the handshake.
  var isStalled: Bool { context.settings.stallsHandshake }

  var receivingWaitsForOutput: Bool { state.withLock { $0.receivingWaitsForOutput } }

  var sendingWaitsForInput: Bool { state.withLock { $0.sendingWaitsForInput } }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
    state.withLock { state in
      let count = cloopback_session_receive(state.session, buffer.baseAddress, buffer.count)
      state.receivingWaitsForOutput =
        count < 0 && cloopback_session_wait(state.session) == CLOOPBACK_WAITS_FOR_OUTPUT
      return count == CLOOPBACK_END ? .end : SocketResult(count)
    }
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult {
    state.withLock { state in
      let count = cloopback_session_send(state.session, bytes.baseAddress, bytes.count)
      state.sendingWaitsForInput =
        count < 0 && cloopback_session_wait(state.session) == CLOOPBACK_WAITS_FOR_INPUT
      // After the client's `close_notify`, OpenSSL also reports a failed sending as the end.
      return count == CLOOPBACK_END ? .closed : SocketResult(count)
    }
  }

  /// Says that the server sends nothing more.
  func end() {
    guard context.settings.sendsCloseNotify else { return }
    state.withLock { cloopback_session_end($0.session) }
  }

  func perform(_ event: LoopbackServer.Reply.TLSEvent) {
    state.withLock { state in
      switch event {
      case .renegotiation: cloopback_session_renegotiate(state.session)
      case .keyUpdate: cloopback_session_update_keys(state.session)
      case .sessionTicket: cloopback_session_send_ticket(state.session)
      }
    }
  }

  /// What the handshake has settled; `nil` before its end.
  var handshake: LoopbackServer.Request.Handshake? {
    state.withLock { state in
      guard cloopback_session_is_established(state.session) else { return nil }
      return LoopbackServer.Request.Handshake(
        version: String(cString: cloopback_session_version(state.session)),
        cipher: String(cString: cloopback_session_cipher(state.session)),
        applicationProtocol: text { cloopback_session_protocol(state.session, $0, $1) },
        serverName: cloopback_session_server_name(state.session).map { String(cString: $0) },
        clientSubject: text { cloopback_session_client(state.session, $0, $1) },
        isResumed: cloopback_session_is_resumed(state.session),
        hasEarlyData: cloopback_session_has_early_data(state.session))
    }
  }

  /// Why the handshake failed; `nil` if it has not.
  var handshakeFailure: String? {
    state.withLock { state in
      guard !cloopback_session_is_established(state.session) else { return nil }
      return cloopback_session_error(state.session).map { String(cString: $0) }
    }
  }
}

extension SocketResult {
  /// What a function of C has returned.
  fileprivate init(_ count: Int) {
    self = count >= 0 ? .bytes(count) : count == Int(CLOOPBACK_BLOCKED) ? .wouldBlock : .closed
  }
}

/// Returns the text that a function of C writes; `nil` if it is empty.
private func text(_ write: (UnsafeMutablePointer<CChar>?, Int) -> Void) -> String? {
  let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    buffer.initialize(repeating: 0)
    write(buffer.baseAddress, buffer.count)
    return buffer.baseAddress.map { String(cString: $0) } ?? ""
  }
  return text.isEmpty ? nil : text
}

extension LoopbackServer.Request {
  /// What the TLS handshake of a connection has settled.
  public struct Handshake: Sendable, Hashable {
    /// The version, such as `TLSv1.3`.
    public let version: String
    /// The cipher suite, such as `TLS_AES_128_GCM_SHA256`; for versions up to TLS 1.2 in OpenSSL's notation.
    public let cipher: String
    /// The application protocol (ALPN); `nil` if the client offered none that the server has.
    public let applicationProtocol: String?
    /// The host that the client named (SNI); `nil` if it named none.
    public let serverName: String?
    /// The subject of the client's certificate, such as `/CN=alice`; `nil` if it has none.
    public let clientSubject: String?
    /// Whether the client has resumed an earlier session, so that no certificates were sent.
    public let isResumed: Bool
    /// Whether the client has sent its first bytes before the end of the handshake (RFC 8446, section 2.3).
    public let hasEarlyData: Bool
  }
}

extension LoopbackServer.Reply {
  /// What a server may do on a TLS connection at any moment.
  public enum TLSEvent: Sendable, Hashable {
    /// A new handshake, which TLS 1.2 has.
    case renegotiation
    /// New keys, which TLS 1.3 has; the client is asked for new keys too.
    case keyUpdate
    /// A ticket to resume the session with, which TLS 1.3 has.
    case sessionTicket
  }

  /// Does something of TLS after the head and the first `count` bytes of the body.
  ///
  /// Without TLS, and if its version does not have the event, nothing happens.
  public func tls(_ event: TLSEvent, after count: Int = 0) -> Self {
    with { $0.bodyPauses.append((count, .tls(event))) }
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The opening handshake of a WebSocket (RFC 6455, section 4).
struct WebSocketHandshake: Sendable {
  private let subprotocols: [String]
  private let offersCompression: Bool

  init(_ options: WebSocketOptions) {
    subprotocols = options.subprotocols
    offersCompression = options.offersCompression && DeflateStream.isAvailable
  }

  /// Adds the fields of the handshake, with a new random key, to the request of an attempt, and replaces the scheme
  /// `ws` by `http`, `wss` by `https`.
  func apply(to request: inout URLRequest) {
    if let text = request.url?.absoluteString {
      let scheme = text.prefix { $0 != ":" }.lowercased()
      if scheme == "ws" || scheme == "wss" { request.url = URL(string: "http" + text.dropFirst(2)) }
    }
    request.setValue("websocket", forHTTPHeaderField: "Upgrade")
    request.setValue("Upgrade", forHTTPHeaderField: "Connection")
    request.setValue("13", forHTTPHeaderField: "Sec-WebSocket-Version")
    request.setValue(Self.randomKey(), forHTTPHeaderField: "Sec-WebSocket-Key")
    if offersCompression {
      request.setValue(PerMessageDeflate.offer, forHTTPHeaderField: "Sec-WebSocket-Extensions")
    }
    if !subprotocols.isEmpty {
      request.setField("Sec-WebSocket-Protocol", to: subprotocols.joined(separator: ", "))
    }
  }

  /// Returns the reason why the 101 response to a request is invalid; `nil` if it is valid.
  ///
  /// The key and the subprotocols are those of the request, because each attempt has a key of its own, and a target
  /// or a plugin may have offered subprotocols.
  func problem(of headers: HTTPHeaders, to request: URLRequest) -> String? {
    guard headers["Upgrade"]?.equalsIgnoringASCIICase("websocket") == true else {
      return "its Upgrade field is \(text(headers["Upgrade"]))"
    }
    guard headers.values(of: "Connection").contains(where: { $0.equalsIgnoringASCIICase("upgrade") }) else {
      return "its Connection field is \(text(headers["Connection"]))"
    }
    let key = request.value(forHTTPHeaderField: "Sec-WebSocket-Key") ?? ""
    guard headers.lines(of: "Sec-WebSocket-Accept") == [SHA1.webSocketAccept(forKey: key)] else {
      return "its Sec-WebSocket-Accept field is \(text(headers["Sec-WebSocket-Accept"]))"
    }
    let offered = request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol").map(\.listMembers) ?? []
    let chosen = headers.lines(of: "Sec-WebSocket-Protocol")
    if chosen.count > 1 || !chosen.allSatisfy(offered.contains) {
      return "the subprotocol \(text(chosen.joined(separator: ", "))) was not offered"
    }
    let extensions = headers.values(of: "Sec-WebSocket-Extensions")
    if extensions.count > 1 || !extensions.isEmpty && compression(in: headers) == nil {
      return "the extension \(text(extensions.joined(separator: ", "))) was not offered"
    }
    return nil
  }

  /// The compression that a valid response has accepted; `nil` for none.
  func compression(in headers: HTTPHeaders) -> PerMessageDeflate? {
    guard offersCompression else { return nil }
    return headers.values(of: "Sec-WebSocket-Extensions").first.flatMap { PerMessageDeflate(accepted: $0) }
  }

  /// Returns the fields with which a server accepts the handshake with a key.
  static func acceptance(of key: String) -> HTTPHeaders {
    [
      "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Accept": SHA1.webSocketAccept(forKey: key),
    ]
  }

  private static func randomKey() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return Data(bytes).base64EncodedString()
  }

  private func text(_ value: String?) -> String { value.map(\.debugDescription) ?? "missing" }
}

extension HTTPHeaders {
  /// The values of the lines with a name.
  fileprivate func lines(of name: String) -> [String] {
    filter { $0.name.equalsIgnoringASCIICase(name) }.map { String($0.value.trimmed) }
  }

  /// The members of the comma-separated lists of a field.
  fileprivate func values(of name: String) -> [String] {
    lines(of: name).flatMap(\.listMembers)
  }
}

extension String {
  /// The members of the comma-separated list that the text is.
  fileprivate var listMembers: [String] { split(separator: ",").map { String($0.trimmed) } }
}

import Foundation

extension LoopbackServer.Reply {
  /// Responds with a status and no body.
  public static func status(_ code: Int) -> Self { Self(status: code) }

  /// Responds with text, as `text/plain` in UTF-8.
  public static func text(_ text: String, status: Int = 200) -> Self {
    .bytes(text.utf8, type: "text/plain; charset=utf-8", status: status)
  }

  /// Responds with JSON text, as `application/json`.
  public static func json(_ json: String, status: Int = 200) -> Self {
    .bytes(json.utf8, type: "application/json", status: status)
  }

  /// Responds with a value encoded as JSON; if encoding fails, responds with a 500 that states the error.
  public static func json(encoding value: some Encodable, status: Int = 200) -> Self {
    do {
      return .bytes(try JSONEncoder().encode(value), type: "application/json", status: status)
    } catch {
      return .text("\(type(of: value)) cannot be encoded as JSON: \(error)", status: 500)
    }
  }

  /// Responds with bytes, such as an array or `Data`, under a media type.
  public static func bytes(
    _ bytes: some Sequence<UInt8>, type: String = "application/octet-stream", status: Int = 200
  ) -> Self {
    Self(status: status, body: .bytes(Array(bytes))).header("Content-Type", type)
  }

  /// Responds with `count` copies of one byte: a large body that takes no memory.
  public static func repeating(_ byte: UInt8, count: Int) -> Self {
    Self(status: 200, body: .repeated(byte, count: max(0, count))).header(
      "Content-Type", "application/octet-stream")
  }

  /// Responds with a redirect; `location` is sent unchanged.
  public static func redirect(to location: String, status: Int = 302) -> Self {
    Self(status: status).header("Location", location)
  }

  /// Sends bytes in place of a status line, header fields and body; closes the connection afterwards unless
  /// `closing` is `false`.
  public static func raw(_ bytes: some Sequence<UInt8>, closing: Bool = true) -> Self {
    var reply = Self(status: 200, body: .bytes(Array(bytes)))
    reply.framing = .raw
    reply.closes = closing
    return reply
  }

  /// Never responds: the connection stays open until the peer closes it or the server stops.
  public static var never: Self {
    var reply = Self(status: 200)
    reply.headPauses = [.forever]
    return reply
  }

  /// Closes the connection without a response.
  public static var close: Self { Self(status: 200).truncated(after: 0, of: .head) }

  /// Resets the connection without a response; over HTTP/2, resets the stream.
  public static var reset: Self { Self(status: 200).truncated(after: 0, of: .head, by: .reset) }
}

import Foundation

extension LoopbackServer.Reply {
  /// Answers with a status and no body.
  ///
  /// - Parameter code: the status code.
  public static func status(_ code: Int) -> Self { Self(status: code) }

  /// Answers with UTF-8 text.
  ///
  /// - Parameters:
  ///   - text: the body.
  ///   - status: the status code.
  public static func text(_ text: String, status: Int = 200) -> Self {
    .bytes(text.utf8, type: "text/plain; charset=utf-8", status: status)
  }

  /// Answers with JSON that is written already.
  ///
  /// - Parameters:
  ///   - json: the body.
  ///   - status: the status code.
  public static func json(_ json: String, status: Int = 200) -> Self {
    .bytes(json.utf8, type: "application/json", status: status)
  }

  /// Answers with a value encoded as JSON; a value that cannot be encoded makes a 500 that says why.
  ///
  /// - Parameters:
  ///   - value: the value to encode.
  ///   - status: the status code.
  public static func json(encoding value: some Encodable, status: Int = 200) -> Self {
    do {
      return .bytes(try JSONEncoder().encode(value), type: "application/json", status: status)
    } catch {
      return .text("\(type(of: value)) cannot be encoded as JSON: \(error)", status: 500)
    }
  }

  /// Answers with bytes, such as an array or `Data`.
  ///
  /// - Parameters:
  ///   - bytes: the body.
  ///   - type: the value of `Content-Type`.
  ///   - status: the status code.
  public static func bytes(
    _ bytes: some Sequence<UInt8>, type: String = "application/octet-stream", status: Int = 200
  ) -> Self {
    Self(status: status, body: .bytes(Array(bytes))).header("Content-Type", type)
  }

  /// Answers with one byte over and over: a large body that takes no memory.
  ///
  /// - Parameters:
  ///   - byte: the byte.
  ///   - count: how many, 0 or more.
  public static func repeating(_ byte: UInt8, count: Int) -> Self {
    Self(status: 200, body: .repeated(byte, count: max(0, count))).header(
      "Content-Type", "application/octet-stream")
  }

  /// Sends the client elsewhere.
  ///
  /// - Parameters:
  ///   - location: the value of `Location`.
  ///   - status: the status code, such as 301, 302, 303, 307 or 308.
  public static func redirect(to location: String, status: Int = 302) -> Self {
    Self(status: status).header("Location", location)
  }

  /// Sends bytes in place of an answer, head included.
  ///
  /// - Parameters:
  ///   - bytes: what is sent.
  ///   - closing: whether the connection is closed afterwards.
  public static func raw(_ bytes: some Sequence<UInt8>, closing: Bool = true) -> Self {
    var reply = Self(status: 200, body: .bytes(Array(bytes)))
    reply.framing = .raw
    reply.closes = closing
    return reply
  }

  /// Never answers: the connection stays open until the peer closes it or the server stops.
  public static var never: Self {
    var reply = Self(status: 200)
    reply.headPauses = [.forever]
    return reply
  }

  /// Closes the connection without an answer.
  public static var close: Self { Self(status: 200).truncated(after: 0, of: .head) }

  /// Resets the connection without an answer.
  public static var reset: Self { Self(status: 200).truncated(after: 0, of: .head, by: .reset) }
}

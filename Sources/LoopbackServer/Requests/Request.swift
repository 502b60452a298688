public import struct Foundation.Data

extension LoopbackServer {
  /// A request as received.
  public struct Request: Sendable, Hashable {
    /// The method, as sent.
    public let method: String
    /// The request target as sent: not decoded, including its query.
    public let target: String
    /// The header fields.
    public let headers: Headers
    /// The body, without chunked coding; at most its first `Options.keptBodyBytes` bytes.
    public internal(set) var body = Data()
    /// The number of bytes of the body that have been received.
    public internal(set) var bodyLength = 0
    /// The decoded path segments, by the names in the route's pattern.
    public internal(set) var parameters: [String: String] = [:]
    /// What the TLS handshake of the connection has settled; `nil` without TLS.
    public internal(set) var handshake: Handshake?
    /// The number of the connection that the request arrived on; the first accepted connection is 1.
    public let connection: Int
    /// The index of the request on its connection, from 0.
    public let indexOnConnection: Int
    /// The number of the request's stream (HTTP/2); `nil` with HTTP/1.1.
    public internal(set) var stream: Int?
  }
}

extension LoopbackServer.Request {
  /// The body as text; invalid UTF-8 is replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The path of the target, percent-decoded, without the query.
  public var path: String { percentDecoded(rawPath.utf8) }

  /// The query as sent, without the question mark; `nil` if there is none.
  public var rawQuery: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// The names and values in the query in the order sent, decoded; `+` is read as a space.
  public var query: [(name: String, value: String)] { formPairs(rawQuery ?? "") }

  /// Returns the first value with that name in the query, decoded.
  public func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// The names and values in a body of type `application/x-www-form-urlencoded`, in the order sent, decoded.
  public var form: [(name: String, value: String)] { formPairs(text) }

  /// The segments of the path, split before they are decoded.
  var pathSegments: [String] {
    rawPath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      percentDecoded($0)
    }
  }

  private var rawPath: Substring {
    var path = target[...]
    if !path.hasPrefix("/"), let scheme = path.range(ofLiteral: "://") {
      let rest = path[scheme...]
      path = rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
    }
    return path.prefix { $0 != "?" && $0 != "#" }
  }
}

extension Substring {
  /// The index after the first occurrence of `text`.
  fileprivate func range(ofLiteral text: String) -> Index? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
      formIndex(after: &start)
    }
    return nil
  }
}

private func formPairs(_ text: String) -> [(name: String, value: String)] {
  text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
    let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let value = halves.count > 1 ? percentDecoded(halves[1], plusIsSpace: true) : ""
    return (percentDecoded(halves[0], plusIsSpace: true), value)
  }
}

/// Decodes `%XX`; a percent sign that is not followed by two hexadecimal digits stays unchanged.
private func percentDecoded(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String {
  var decoded: [UInt8] = []
  var rest = bytes[...]
  while let byte = rest.popFirst() {
    if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexDigit),
      let low = rest.dropFirst().first.flatMap(hexDigit)
    {
      decoded.append(high << 4 | low)
      rest = rest.dropFirst(2)
    } else {
      decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
    }
  }
  return String(decoding: decoded, as: UTF8.self)
}

func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

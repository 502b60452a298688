/// An HTTP/3 service for an origin, as a server advertises it (`Alt-Svc`; RFC 7838, section 3).
package struct AlternativeService: Hashable {
  /// The host, an IPv6 address in brackets; empty for the origin's host.
  package let host: String
  package let port: Int

  package init(host: String, port: Int) {
    (self.host, self.port) = (host, port)
  }

  /// The service in the notation of `CURLOPT_CONNECT_TO`: connects every host and port to this host and port.
  package var destination: String { "::\(host):\(port)" }
}

/// The information about HTTP/3 in an `Alt-Svc` value.
package enum AlternativeServiceField: Equatable {
  /// All earlier advertisements are void.
  case clear
  /// The first HTTP/3 service, and the number of seconds for which it may be used.
  case service(AlternativeService, lifetime: UInt64)

  /// Reads a value such as `h3=":443"; ma=86400, h2=":443"`; `nil` if it names no HTTP/3 service.
  package init?(_ value: Substring) {
    var scanner = Scanner(rest: value.utf8)
    var first: Self?
    list: repeat {
      // A list may have empty members (RFC 9110, section 5.6.1).
      while scanner.consume(",") {}
      guard let name = scanner.token() else { break }
      guard scanner.consume("=") else {
        // Also voids the services in the same response (RFC 7838, section 3).
        if name.lowercased() == "clear" { first = .clear }
        break
      }
      guard let authority = scanner.value() else { break }
      // The default is 24 hours (RFC 7838, section 3.1).
      var lifetime: UInt64 = 86_400
      while scanner.consume(";") {
        guard let parameter = scanner.token(), scanner.consume("="), let value = scanner.value() else {
          break list
        }
        if parameter.lowercased() == "ma" {
          guard !value.isEmpty, value.utf8.allSatisfy(\.isDigit) else { break list }
          // A number that exceeds the integers counts as a long time (RFC 9111, section 1.2.2).
          let seconds = UInt64(value) ?? .max
          lifetime = min(seconds, 30 * 86_400)
        }
      }
      if first == nil, name == "h3", let service = Self.service(authority) {
        first = .service(service, lifetime: lifetime)
      }
    } while scanner.consume(",")
    guard let result = first else { return nil }
    self = result
  }

  private static func service(_ authority: String) -> AlternativeService? {
    guard let colon = authority.lastIndex(of: ":") else { return nil }
    let digits = authority[authority.index(after: colon)...]
    guard digits.utf8.allSatisfy(\.isDigit), let port = Int(digits), (1...65_535).contains(port) else {
      return nil
    }
    let host = String(authority[..<colon])
    let isAddress =
      host.hasPrefix("[") && host.hasSuffix("]")
      && host.dropFirst().dropLast().allSatisfy { $0 == ":" || $0 == "." || $0.isHexDigit }
    // The host must not contain characters that are special to libcurl.
    guard host.isEmpty || host.isHostName || isAddress else { return nil }
    return AlternativeService(host: host, port: port)
  }

  /// Reads tokens and quoted strings (RFC 9110, section 5.6).
  private struct Scanner {
    var rest: Substring.UTF8View

    private mutating func skipBlanks() {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    }

    mutating func consume(_ sign: Unicode.Scalar) -> Bool {
      skipBlanks()
      guard rest.first == UInt8(ascii: sign) else { return false }
      rest.removeFirst()
      return true
    }

    mutating func token() -> String? {
      skipBlanks()
      let token = rest.prefix { $0 > 0x20 && $0 < 0x7F && !"=;,\"".utf8.contains($0) }
      rest = rest[token.endIndex...]
      return token.isEmpty ? nil : String(Substring(token))
    }

    mutating func value() -> String? {
      guard consume("\"") else { return token() }
      var bytes: [UInt8] = []
      while var byte = rest.popFirst() {
        if byte == UInt8(ascii: "\"") { return String(validating: bytes, as: UTF8.self) }
        if byte == UInt8(ascii: "\\") {
          guard let escaped = rest.popFirst() else { return nil }
          byte = escaped
        }
        bytes.append(byte)
      }
      return nil
    }
  }
}

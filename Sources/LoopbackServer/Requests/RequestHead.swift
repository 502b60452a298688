/// Collects the head of a request line by line, and reads the fields that the server itself evaluates.
struct RequestHead {
  enum Framing: Equatable {
    case none
    case length(Int)
    case chunked
  }

  private(set) var method = ""
  private(set) var target = ""
  private(set) var fieldLines: [UInt8] = []
  private(set) var isHTTP10 = false
  private(set) var framing = Framing.none
  private(set) var expectsContinue = false
  private var asksToClose = false
  private var asksToKeep = false
  private var hosts = 0
  private var hasLengthAndCoding = false

  var keepsAlive: Bool { isHTTP10 ? asksToKeep && !asksToClose : !asksToClose }

  /// The status to respond with if the fields contradict each other, although each one is valid.
  var problem: Int? {
    hasLengthAndCoding || hosts > 1 || hosts == 0 && !isHTTP10 ? 400 : nil
  }

  /// Parses `GET /path HTTP/1.1`; returns the status to respond with if the line is malformed.
  mutating func read(requestLine line: ArraySlice<UInt8>) -> Int? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenByte),
      !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return 400 }
    // HTTP/ DIGIT . DIGIT; a later minor version counts as 1.1 (RFC 9110, section 2.5).
    let version = Array(parts[2].dropFirst(5))
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    guard parts[2].starts(with: "HTTP/".utf8), version.count == 3, version[1] == UInt8(ascii: "."),
      isDigit(version[0]), isDigit(version[2])
    else { return 400 }
    guard version[0] == UInt8(ascii: "1") else { return 505 }
    isHTTP10 = version[2] == UInt8(ascii: "0")
    method = String(decoding: parts[0], as: UTF8.self)
    target = String(decoding: parts[1], as: UTF8.self)
    return nil
  }

  /// Parses `Name: value`; returns the status to respond with if the line is malformed.
  mutating func read(fieldLine line: ArraySlice<UInt8>) -> Int? {
    guard let colon = Self.colon(of: line) else { return 400 }
    fieldLines.append(contentsOf: line)
    fieldLines.append(UInt8(ascii: "\n"))
    let value = trimmingBlanks(line[(colon + 1)...])
    let name = line[..<colon]
    switch name.count {
    case 4 where matches(name, "host"): hosts += 1
    case 6 where matches(name, "expect"):
      // RFC 9110, section 10.1.1: HTTP/1.0 has no informational responses.
      expectsContinue = !isHTTP10 && matches(value, "100-continue")
    case 10 where matches(name, "connection"): read(connection: value)
    case 14 where matches(name, "content-length"): return read(contentLength: value)
    case 17 where matches(name, "transfer-encoding"):
      guard matches(value, "chunked") else { return 501 }
      // RFC 9112, section 6.1: HTTP/1.0 has no codings, and the coding is applied only once.
      if framing == .chunked || isHTTP10 { return 400 }
      if case .length = framing { hasLengthAndCoding = true }
      framing = .chunked
    default: break
    }
    return nil
  }

  /// Returns the index of the colon after the name of a field; `nil` if the line is malformed.
  static func colon(of line: ArraySlice<UInt8>) -> Int? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(isTokenByte),
      line[colon...].allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
    else { return nil }
    return colon
  }

  private mutating func read(connection value: ArraySlice<UInt8>) {
    for option in value.split(separator: UInt8(ascii: ",")).map(trimmingBlanks) {
      if matches(option, "close") { asksToClose = true }
      if matches(option, "keep-alive") { asksToKeep = true }
    }
  }

  private mutating func read(contentLength value: ArraySlice<UInt8>) -> Int? {
    guard !value.isEmpty, value.count <= 18, value.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      return 400
    }
    let length = value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    switch framing {
    case .none: framing = .length(length)
    case .length(let earlier): if earlier != length { return 400 }
    case .chunked: hasLengthAndCoding = true
    }
    return nil
  }
}

private func matches(_ bytes: ArraySlice<UInt8>, _ lowercase: StaticString) -> Bool {
  guard bytes.count == lowercase.utf8CodeUnitCount else { return false }
  return lowercase.withUTF8Buffer { name in
    zip(bytes, name).allSatisfy { $0 == $1 || $0 >= 0x41 && $0 <= 0x5A && $0 | 0x20 == $1 }
  }
}

/// RFC 9110, section 5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
  default: false
  }
}

internal import Foundation

/// Gathers the lines of a response head until it is the one that counts.
///
/// libcurl hands over every line that looks like a head's: of informational answers before it, and of trailers
/// after the body. A status line starts afresh; once a final head is closed, nothing can open it again.
struct HeadLines {
  private var bytes: [UInt8] = []
  private var hasLocation = false
  /// Whether a field has come of any head.
  private var hasField = false
  /// Where to go next, as the server says it, if no URL can say it.
  ///
  /// libcurl (8.23) takes a backslash behind the scheme for a slash, and so another host than a reader of the URL.
  private(set) var brokenLocation: String?
  /// Whether where to go next is a fragment alone.
  private(set) var hasFragmentAlone = false
  private var length: Int64?
  /// What is wrong with the fields that libcurl goes by.
  ///
  /// libcurl takes what number a value begins with, and the last of several: with a server, or a proxy on the way, that
  /// reads it differently, the rest of one answer would be taken for the next (RFC 9112, section 6.3).
  private(set) var problem: String?
  /// The field of the last line, where it is one that libcurl goes by.
  private var steering: StaticString?
  /// The codings of the content, and behind those the codings of its transfer, in the order in which they were applied.
  private(set) var packings: [Packing] = []
  /// How many of them are the content's.
  private var contentPackings = 0
  /// A coding that nothing is known of.
  private(set) var unknownPacking: String?
  /// Whether chunks stand around the body.
  private var isChunked = false
  /// Whether the body is coded for its transfer, in which case its length, if one is said, means nothing (RFC 9112, section 6.3).
  private var isTransferCoded = false
  /// The status code, once the head is closed.
  private(set) var status = 0
  /// Whether the final head has arrived whole.
  private(set) var isClosed = false
  /// Whether libcurl may answer the head, such as that of a 401, with another request, so that another head follows.
  var isProvisional = false
  /// Whether the head asks for another request.
  private(set) var isRedirect = false

  /// Takes a line with its end; returns `true` at the empty one that ends a head.
  mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
    guard !isClosed || isProvisional, let first = line.first else { return false }
    if line.hasLowercasedPrefix("http/") {
      if !line.isStatusLine { problem = "a status line without a status of three digits" }
      (isClosed, isProvisional) = (false, false)
      bytes.removeAll(keepingCapacity: true)
      (hasLocation, brokenLocation) = (false, nil)
      length = nil
      (steering, isChunked, isTransferCoded) = (nil, false, false)
      (packings, contentPackings, unknownPacking) = ([], 0, nil)
      return false
    }
    // Trailers of an answer that was closed.
    guard !isClosed else { return false }
    if first == 0x0D || first == 0x0A { return true }
    read(line)
    if bytes.isEmpty { bytes.reserveCapacity(512) }
    bytes.append(contentsOf: line)
    return false
  }

  /// Looks at a line for what libcurl goes by: how long the body is, how it is packed, where to go next.
  ///
  /// libcurl does not see what such a field has in further lines, nor one with a blank behind its name; who looks at
  /// the fields does, and would take the answer for another one than was read.
  private mutating func read(_ line: UnsafeRawBufferPointer) {
    guard let first = line.first else { return }
    // 8.23 refuses it, older versions take it for a part of the value (RFC 9112, section 2.2, allows both).
    if line.hasBareCR { problem = "a CR within a field" }
    if first == 0x20 || first == 0x09 {
      // 7.88 refuses it, newer versions drop it; the first versions of 8 write through freed memory: see `HeadGuard`.
      if !hasField { problem = "a continued line first" }
      // Newer versions (8.23) put the lines together before they read them.
      if let steering { problem = "a \(steering) of several lines" }
      return
    }
    hasField = true
    steering = nil
    switch first | 0x20 {
    case UInt8(ascii: "c"):
      if isField("content-length", line) { readLength(line.value(after: 15)) }
      if isField("content-encoding", line) { readCodings(line.value(after: 17), ofContent: true) }
    case UInt8(ascii: "l"):
      // An empty one leads nowhere.
      if isField("location", line), let first = line.value(after: 9).first {
        hasLocation = true
        hasFragmentAlone = first == UInt8(ascii: "#")
        let value = line.value(after: 9)
        if value.hasBackslashInAuthority { brokenLocation = String(decoding: value, as: UTF8.self) }
      }
    case UInt8(ascii: "t"):
      if isField("transfer-encoding", line) {
        isTransferCoded = true
        readCodings(line.value(after: 18), ofContent: false)
      }
    default: break
    }
  }

  private mutating func isField(_ name: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
    guard line.hasLowercasedPrefix(name) else { return false }
    switch line.dropFirst(name.utf8CodeUnitCount).first {
    case UInt8(ascii: ":"):
      steering = name
      return true
    case 0x20, 0x09: problem = "a blank behind the name \(name)"
    default: break
    }
    return false
  }

  private mutating func readCodings(_ value: Slice<UnsafeRawBufferPointer>, ofContent isContent: Bool) {
    for part in value.split(separator: UInt8(ascii: ",")) {
      let name = part.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 }
      if !isContent, name.isCoding("chunked") {
        isChunked = true
      } else if let packing = Packing(name: name) {
        packings.insert(packing, at: isContent ? contentPackings : packings.count)
        if isContent { contentPackings += 1 }
      } else if !name.isEmpty, !name.isCoding("identity"), !name.isCoding("none") {
        unknownPacking = String(decoding: name, as: UTF8.self)
      }
    }
  }

  /// Whether the body is not what it stands for.
  var isPacked: Bool { !packings.isEmpty || unknownPacking != nil }

  /// How many bytes the body has, as far as the head says that.
  var bodyLength: Int64? { status == 204 || status == 304 ? 0 : isTransferCoded ? nil : length }

  /// Whether nothing but the end of the connection says where the body ends (RFC 9112, section 6.3).
  var isOpenEnded: Bool { length == nil && !isChunked && status != 204 && status != 304 }

  /// Takes one number, or the same one several times.
  private mutating func readLength(_ value: Slice<UnsafeRawBufferPointer>) {
    if length == nil, let number = value.number {
      length = number
      return
    }
    for part in String(decoding: value, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
    {
      let digits = part.trimmed
      let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isNumber, let announced = Int64(digits), announced == length ?? announced else {
        problem =
          "a Content-Length of \(String(decoding: value, as: UTF8.self).debugDescription)"
          + (length.map { " beside one of \($0)" } ?? "")
        return
      }
      length = announced
    }
  }

  /// Closes the head; returns `false` for an informational one, after which another follows.
  mutating func close(status: Int, followsRedirects: Bool) -> Bool {
    // 101 is the last of its exchange although it begins with a 1 (RFC 9110, section 15.2.2).
    guard status >= 200 || status == 101 else { return false }
    self.status = status
    isClosed = true
    switch status {
    case 301, 302, 303, 307, 308: isRedirect = hasLocation && followsRedirects
    default: break
    }
    return true
  }

  /// The lines, which are given away.
  mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a line that begins as a status line has a status of three digits behind its version.
  fileprivate var isStatusLine: Bool {
    guard let blank = firstIndex(of: 0x20) else { return false }
    let status = self[(blank + 1)...].prefix { $0 != 0x20 && $0 != 0x0D && $0 != 0x0A }
    return status.count == 3 && status.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether a line has a CR that is not part of its end.
  fileprivate var hasBareCR: Bool {
    guard let baseAddress, let found = memchr(baseAddress, 0x0D, count) else { return false }
    let index = UnsafeRawPointer(found) - baseAddress
    return index + 1 < count && (index + 2 < count || self[index + 1] != 0x0A)
  }

  /// A field's value, without the blanks around it and the end of the line.
  fileprivate func value(after count: Int) -> Slice<UnsafeRawBufferPointer> {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    let value = self[Swift.min(count, self.count)...].drop(while: isBlank)
    return value[..<(value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex)]
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// Whether this is the name of a coding, in whatever case (RFC 9110, section 8.4.1).
  fileprivate func isCoding(_ name: StaticString) -> Bool {
    count == name.utf8CodeUnitCount && hasLowercasedPrefix(name)
  }

  /// Whether a URL that names a host has a backslash before its path.
  fileprivate var hasBackslashInAuthority: Bool {
    guard contains(UInt8(ascii: "\\")) else { return false }
    let isSlash: (UInt8) -> Bool = { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    let rest =
      hasLowercasedPrefix("http:")
      ? self[(startIndex + 5)...] : hasLowercasedPrefix("https:") ? self[(startIndex + 6)...] : self
    guard rest.prefix(while: isSlash).count >= 2 else { return false }
    let authority = rest.drop(while: isSlash).prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    return authority.contains(UInt8(ascii: "\\")) || rest.prefix(while: isSlash).contains(UInt8(ascii: "\\"))
  }

  /// The number that the bytes are, where it is one of few digits and nothing else, as it nearly always is.
  fileprivate var number: Int64? {
    guard (1...18).contains(count), allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}

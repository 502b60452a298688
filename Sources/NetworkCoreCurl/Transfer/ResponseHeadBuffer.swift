internal import Foundation

/// Collects the lines of a response head until the final head is complete.
///
/// libcurl delivers every line that looks like part of a head: also those of informational responses before
/// it, and of trailers after the body. A status line discards the lines before it; once a final head is
/// closed, no line reopens it.
struct ResponseHeadBuffer {
  private var bytes: [UInt8] = []
  /// Whether the head has a `Location` with a value.
  private var hasLocation = false
  /// Whether any head has had a field so far.
  private var hasField = false
  private var length: Int64?
  /// The fault in the fields that libcurl interprets.
  ///
  /// libcurl uses the number at the beginning of a value, and the last of several values. If a server, or a
  /// proxy on the way, reads them differently, the rest of one response would be read as the next (RFC 9112,
  /// section 6.3).
  private(set) var problem: String?
  /// The name of the last line's field, if libcurl interprets that field.
  private var interpretedField: StaticString?
  /// The content codings followed by the transfer codings, each in the order in which they were applied.
  private(set) var codings: [ContentCoding] = []
  /// How many of them are content codings.
  private var contentCodingCount = 0
  /// The name of a coding that is unknown, or that this system cannot decode.
  private(set) var unknownCoding: String?
  /// Whether the body has an unknown transfer coding, so that its bytes mean nothing.
  private var hasUnknownTransferCoding = false
  /// Whether the body has the chunked transfer coding.
  private var isChunked = false
  /// Whether the body has a transfer coding, in which case an announced length has no meaning (RFC 9112,
  /// section 6.3).
  private var isTransferCoded = false
  /// The status code, once the head is closed.
  private(set) var status = 0
  /// Whether the final head has arrived completely.
  private(set) var isClosed = false
  /// Whether libcurl may send another request after the head, such as that of a 401, so that another head
  /// follows.
  var isProvisional = false
  /// Whether the head is that of a redirect.
  var isRedirect: Bool { isClosed && hasLocation && ResponseHead.isRedirect(status) }

  /// Processes a line including its end; returns `true` for the empty line that ends a head.
  mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
    guard !isClosed || isProvisional, let first = line.first else { return false }
    if line.hasLowercasedPrefix("http/") {
      if !line.isStatusLine { problem = "a status line without a status of three digits" }
      (isClosed, isProvisional) = (false, false)
      bytes.removeAll(keepingCapacity: true)
      (hasLocation, length) = (false, nil)
      (interpretedField, isChunked, isTransferCoded) = (nil, false, false)
      (codings, contentCodingCount, unknownCoding, hasUnknownTransferCoding) = ([], 0, nil, false)
      return false
    }
    // Trailers of a response that was closed.
    guard !isClosed else { return false }
    if first == 0x0D || first == 0x0A { return true }
    read(line)
    if bytes.isEmpty { bytes.reserveCapacity(512) }
    bytes.append(contentsOf: line)
    return false
  }

  /// Reads the fields that libcurl interprets, such as the length of the body and its codings.
  ///
  /// libcurl ignores continuation lines of such a field, and a field with a space after its name.
  /// `HTTPHeaders` does not ignore them, so the caller would interpret the response differently from libcurl.
  private mutating func read(_ line: UnsafeRawBufferPointer) {
    guard let first = line.first else { return }
    // libcurl (8.23) refuses it; older versions treat it as a part of the value (RFC 9112, section 2.2, allows both).
    if line.hasBareCR { problem = "a CR within a field" }
    if first == 0x20 || first == 0x09 {
      // libcurl's versions differ: see `LibcurlDefects.mishandlesFirstContinuation`.
      if !hasField { problem = "a continuation line before the first field" }
      // libcurl (8.23) joins the lines before it interprets them; older versions do not.
      if let interpretedField { problem = "a \(interpretedField) field that spans several lines" }
      return
    }
    hasField = true
    interpretedField = nil
    switch first | 0x20 {
    case UInt8(ascii: "c"):
      if beginField("content-length", line) { readLength(line.value(after: 15)) }
      if beginField("content-encoding", line) { readCodings(line.value(after: 17), ofContent: true) }
    case UInt8(ascii: "l"):
      if beginField("location", line), !line.value(after: 9).isEmpty { hasLocation = true }
    case UInt8(ascii: "t"):
      if beginField("transfer-encoding", line) {
        isTransferCoded = true
        readCodings(line.value(after: 18), ofContent: false)
      }
    default: break
    }
  }

  /// Notes that a line begins a field with a name; returns `false` if it does not.
  private mutating func beginField(_ name: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
    guard line.hasLowercasedPrefix(name) else { return false }
    switch line.dropFirst(name.utf8CodeUnitCount).first {
    case UInt8(ascii: ":"):
      interpretedField = name
      return true
    case 0x20, 0x09: problem = "a space after the field name \(name)"
    default: break
    }
    return false
  }

  private mutating func readCodings(_ value: Slice<UnsafeRawBufferPointer>, ofContent isContent: Bool) {
    for part in value.split(separator: UInt8(ascii: ",")) {
      let name = part.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 }
      if !isContent, name.isCoding("chunked") {
        isChunked = true
      } else if let coding = ContentCoding(name: name), coding.isUsable {
        codings.insert(coding, at: isContent ? contentCodingCount : codings.count)
        if isContent { contentCodingCount += 1 }
      } else if !name.isEmpty, !name.isCoding("identity"), !name.isCoding("none") {
        unknownCoding = String(decoding: name, as: UTF8.self)
        if !isContent { hasUnknownTransferCoding = true }
      }
    }
  }

  /// Whether the body has any coding, so that it must be decoded.
  var isEncoded: Bool { !codings.isEmpty || unknownCoding != nil }

  /// Whether content codings are unknown or too many, or the body is a part of an encoded one, and there is no
  /// transfer coding, so that only a receiver may know how to decode the bytes.
  var isDecodableByReceiver: Bool {
    (unknownCoding != nil || codings.count > BodyDecoder.limit || status == 206) && !hasUnknownTransferCoding
      && codings.count == contentCodingCount
  }

  /// The length of the body in bytes, if the head specifies it.
  var bodyLength: Int64? { status == 204 || status == 304 ? 0 : isTransferCoded ? nil : length }

  /// Whether only the end of the connection ends the body (RFC 9112, section 6.3).
  var isOpenEnded: Bool { length == nil && !isChunked && status != 204 && status != 304 }

  /// Reads one number, or the same number several times.
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
          + (length.map { " in addition to one of \($0)" } ?? "")
        return
      }
      length = announced
    }
  }

  /// Closes the head; returns `false` for an informational one, which another head follows.
  mutating func close(status: Int) -> Bool {
    // 101 ends the exchange although it begins with a 1 (RFC 9110, section 15.2.2).
    guard status >= 200 || status == 101 else { return false }
    self.status = status
    isClosed = true
    return true
  }

  /// Returns the lines and removes them.
  mutating func take() -> [UInt8] { exchange(&bytes, with: []) }
}

extension UnsafeRawBufferPointer {
  /// Whether a line that begins like a status line has a status of three digits after the version.
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

  /// Returns a field's value, without surrounding whitespace and the end of the line.
  fileprivate func value(after count: Int) -> Slice<UnsafeRawBufferPointer> {
    self[Swift.min(count, self.count)...].trimmed
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// Whether this is the name of a coding, compared case-insensitively (RFC 9110, section 8.4.1).
  fileprivate func isCoding(_ name: StaticString) -> Bool {
    count == name.utf8CodeUnitCount && hasLowercasedPrefix(name)
  }

  /// The number, if the value consists of 1 to 18 digits only, as it nearly always does.
  fileprivate var number: Int64? {
    guard (1...18).contains(count), allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}

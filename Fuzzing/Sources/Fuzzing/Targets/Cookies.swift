// Property: what the client keeps of a Set-Cookie field is what the steps of RFC 6265, written again here,
// keep; it is sent to no other host, path or scheme; a jar has the cookies of a plain list, in its order; and
// its file has the lines of Netscape's format, and yields the same cookies.
import CNetworkCoreCurl
import Foundation
@testable import NetworkCoreCurl
@testable import NetworkCoreTransport

private let origins = [
  "http://www.example.com/a/b", "https://www.example.com/a/b?c", "https://example.co.uk",
  "http://10.0.0.1/a/",
  "https://[::1]:8080/x", "http://localhost/login/../a", "https://sub.www.example.com/a/bc",
  "https://www.example.com/a%2fb/c",
].compactMap(CookieOrigin.init)
private let now = 1_800_000_000

/// The bits of the choice after those that select the sender.
private enum Choice {
  static let severalSenders: UInt8 = 0x20
  static let longFields: UInt8 = 0x40
  static let file: UInt8 = 0x80
}

@Sendable func testCookies(_ input: FuzzInput) throws {
  var input = input
  let choice = input.byte()
  // A head with a CR within a field is refused before.
  var fields = input.bytes.split { $0 == 0x0A || $0 == 0x0D }.map(Array.init)
  if choice & Choice.longFields != 0, fields.count <= 4 {
    // A NUL stands for many letters, so that short inputs reach the limits.
    let letters = [UInt8](repeating: UInt8(ascii: "x"), count: 1_020)
    fields = fields.map { field in Array(field.lazy.flatMap { $0 == 0 ? letters : [$0] }.prefix(6_000)) }
  }
  var contents = CookieJarContents()
  var plainJar = PlainJar()
  for (index, field) in fields.enumerated() {
    let step = choice & Choice.severalSenders == 0 ? 0 : index
    let sender = origins[(Int(choice) + step) % origins.count]
    let cookie = Cookie(field, from: sender, at: now)
    let plain = PlainCookie(field, from: sender)
    try requireEqual(cookie.map(PlainCookie.init), plain, String(decoding: field, as: UTF8.self))
    if let cookie {
      try checkReceivers(of: cookie, from: sender)
      contents.store(cookie, isFromSecureOrigin: sender.isSecure, at: now)
      plainJar.store(cookie, isFromSecureOrigin: sender.isSecure)
    }
  }
  try requireEqual(
    contents.all(at: now).map(PlainCookie.init), plainJar.cookies.map(PlainCookie.init), "the jar")
  for receiver in origins {
    try requireEqual(
      contents.sent(to: receiver, at: now).map(PlainCookie.init),
      plainJar.sent(to: receiver).map(PlainCookie.init), "the cookies for \(receiver.host)")
  }
  if choice & Choice.file != 0 { try checkFile(contents) }
}

private func checkReceivers(of cookie: Cookie, from sender: CookieOrigin) throws {
  var contents = CookieJarContents()
  contents.store(cookie, isFromSecureOrigin: sender.isSecure, at: now)
  for receiver in origins {
    try requireEqual(
      contents.sent(to: receiver, at: now).count, isSent(cookie, to: receiver) ? 1 : 0,
      "the cookies of \(cookie.identity.domain) for \(receiver.host)")
  }
}

private func isSent(_ cookie: Cookie, to receiver: CookieOrigin) -> Bool {
  let identity = cookie.identity
  let isInDomain =
    receiver.host == identity.domain
    || !identity.isHostOnly && receiver.host.hasSuffix("." + identity.domain) && !receiver.isAddress
  return isInDomain && isBelow(receiver.path, identity.path) && (receiver.isSecure || !cookie.isSecure)
    && (cookie.expiry ?? .max) > now
}

/// RFC 6265, section 5.1.4.
private func isBelow(_ path: [UInt8], _ own: [UInt8]) -> Bool {
  path == own || path.starts(with: own.last == .slash ? own : own + [.slash])
}

/// The cookies of a client in the order of their creation (RFC 6265, sections 5.3 and 5.4).
private struct PlainJar {
  private(set) var cookies: [Cookie] = []

  mutating func store(_ cookie: Cookie, isFromSecureOrigin: Bool) {
    let identity = cookie.identity
    // RFC 6265bis: a plain server must not replace, or cover, a secure cookie.
    let isCovering = cookies.contains { other in
      let (domain, otherDomain) = (identity.domain, other.identity.domain)
      let isRelated =
        domain == otherDomain || domain.hasSuffix("." + otherDomain) || otherDomain.hasSuffix("." + domain)
      return other.isSecure && other.identity.name == identity.name && isRelated
        && isBelow(identity.path, other.identity.path)
    }
    if isCovering, !isFromSecureOrigin, !cookie.isSecure { return }
    let place = cookies.firstIndex { other in
      other.identity.name == identity.name && other.identity.domain == identity.domain
        && other.identity.path == identity.path && other.identity.isHostOnly == identity.isHostOnly
    }
    let isExpired = (cookie.expiry ?? .max) <= now
    switch (place, isExpired) {
    case (let place?, true): cookies.remove(at: place)
    case (let place?, false): cookies[place] = cookie
    case (nil, false): cookies.append(cookie)
    case (nil, true): break
    }
  }

  /// Those with longer paths first, then the older ones.
  func sent(to receiver: CookieOrigin) -> [Cookie] {
    let sent = cookies.filter { isSent($0, to: receiver) }
    let lengths = Set(sent.map(\.identity.path.count)).sorted(by: >)
    return lengths.flatMap { length in sent.filter { $0.identity.path.count == length } }
  }
}

private func checkFile(_ contents: CookieJarContents) throws {
  // A folder in memory; each process has its own file.
  let file = try CookieFile("/dev/shm/reactive-network-fuzzing-\(getpid())")
  defer { unlink(file.path) }
  let cookies = contents.all(at: now)
  file.write(cookies)
  let lines = cookies.map { cookie in
    let identity = cookie.identity
    let domain =
      (cookie.isHTTPOnly ? "#HttpOnly_" : "") + (identity.isHostOnly ? "" : ".") + identity.domain
    let columns = [
      Array(domain.utf8), Array((identity.isHostOnly ? "FALSE" : "TRUE").utf8), identity.path,
      Array((cookie.isSecure ? "TRUE" : "FALSE").utf8), Array("\(cookie.expiry ?? 0)".utf8), identity.name,
      cookie.value,
    ]
    return Array(columns.joined(separator: [0x09]))
  }
  let written = try Data(contentsOf: URL(fileURLWithPath: file.path)).split(separator: 0x0A).map(Array.init)
  try requireEqual(written.filter { $0.first != 0x23 || $0.contains(0x09) }, lines, "the lines of the file")
  try requireEqual(try file.read().map(PlainCookie.init), cookies.map(PlainCookie.init), "the file")
}

private struct PlainCookie: Equatable {
  var name: [UInt8]
  var value: [UInt8]
  var domain: String
  var isHostOnly = true
  var path: [UInt8]
  var isSecure = false
  var isHTTPOnly = false
  var expiry: Int?

  init(_ cookie: Cookie) {
    let identity = cookie.identity
    (name, value, domain) = (identity.name, cookie.value, identity.domain)
    (isHostOnly, path, expiry) = (identity.isHostOnly, identity.path, cookie.expiry)
    (isSecure, isHTTPOnly) = (cookie.isSecure, cookie.isHTTPOnly)
  }

  /// Sections 5.2 and 5.3, with the prefixes and limits of RFC 6265bis.
  init?(_ field: [UInt8], from origin: CookieOrigin) {
    // ISO 8859-1 keeps each byte as one character.
    let text = String(String.UnicodeScalarView(field.map { Unicode.Scalar($0) }))
    let hasForbidden = text.unicodeScalars.contains { $0 != "\t" && Self.hasControl(String($0)) }
    guard !hasForbidden else { return nil }
    var parts = Self.split(text, ";")
    let pair = parts.removeFirst()
    guard pair.unicodeScalars.contains("=") else { return nil }
    let halves = Self.halves(pair)
    guard !halves.0.isEmpty, halves.0.unicodeScalars.count + halves.1.unicodeScalars.count <= 4096,
      !Self.hasControl(halves.0 + halves.1)
    else { return nil }
    (name, value) = (Self.bytes(halves.0), Self.bytes(halves.1))
    (domain, path) = (origin.host, origin.defaultPath)
    var (attributeDomain, attributePath, age, expires): (String, String?, Int?, Int?) = ("", nil, nil, nil)
    for part in parts {
      let (name, value) = Self.halves(part)
      guard value.unicodeScalars.count <= 1024 else { continue }
      switch String(decoding: Self.bytes(name), as: UTF8.self).lowercased() {
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      case "domain":
        let bytes = Self.bytes(value)
        let name = bytes.first == UInt8(ascii: ".") ? bytes.dropFirst() : bytes[...]
        attributeDomain = String(decoding: name, as: UTF8.self).lowercased()
      case "path": attributePath = value.unicodeScalars.first == "/" && !Self.hasControl(value) ? value : nil
      case "expires": expires = PlainDate.cookie(Self.bytes(value)) ?? expires
      case "max-age":
        let digits = value.unicodeScalars.first == "-" ? String(value.unicodeScalars.dropFirst()) : value
        guard !digits.isEmpty, digits.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }) else { break }
        let isNegative = digits != value || digits.allSatisfy { $0 == "0" }
        age = isNegative ? 0 : now + (Int(digits) ?? .max / 2)
      default: break
      }
    }
    expiry = (age ?? expires).map { min($0, now + 400 * 86_400) }
    if let attributePath { path = Self.withUppercaseEscapes(Self.bytes(attributePath)) }
    guard origin.isSecure || !isSecure else { return nil }
    guard takesDomain(attributeDomain, of: origin) else { return nil }
    let prefix = halves.0.lowercased()
    if prefix.hasPrefix("__secure-"), !isSecure { return nil }
    if prefix.hasPrefix("__host-"), !isSecure || !attributeDomain.isEmpty || attributePath != "/" {
      return nil
    }
  }

  /// `%2F` for `%2f`, as the transport sends it.
  private static func withUppercaseEscapes(_ path: [UInt8]) -> [UInt8] {
    let digits = "0123456789abcdefABCDEF".utf8
    var path = path
    for index in path.indices where path[index] == UInt8(ascii: "%") {
      let escape = path[index...].dropFirst().prefix(2)
      guard escape.count == 2, escape.allSatisfy({ digits.contains($0) }) else { continue }
      path.replaceSubrange(escape.indices, with: escape.map { $0 > 0x60 ? $0 - 0x20 : $0 })
    }
    return path
  }

  private mutating func takesDomain(_ wanted: String, of origin: CookieOrigin) -> Bool {
    let host = origin.host
    if wanted.isEmpty { return true }
    if origin.isAddress { return wanted == host }
    guard wanted == host || host.hasSuffix("." + wanted) else { return false }
    // libpsl decides which domains anyone can register under.
    switch ccurl_public_suffix(wanted) {
    case CCURL_SUFFIX_PRIVATE:
      (domain, isHostOnly) = (wanted, false)
      return true
    case CCURL_SUFFIX_PUBLIC: return wanted == host
    default: return true
    }
  }

  private static func split(_ text: String, _ separator: Unicode.Scalar) -> [String] {
    text.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
  }

  private static func halves(_ text: String) -> (String, String) {
    let scalars = text.unicodeScalars
    let sign = scalars.firstIndex(of: "=") ?? scalars.endIndex
    return (trimmed(scalars[..<sign]), trimmed(scalars[sign...].dropFirst()))
  }

  private static func trimmed(_ scalars: Substring.UnicodeScalarView) -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
    let rest = scalars.drop(while: isBlank)
    let end = rest.lastIndex { !isBlank($0) }.map { rest.index(after: $0) } ?? rest.startIndex
    return String(rest[..<end])
  }

  private static func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }

  private static func hasControl(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }
}

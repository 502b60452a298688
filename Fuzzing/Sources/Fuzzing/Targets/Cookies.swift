// Property: what the client keeps of a Set-Cookie field is what the steps of RFC 6265, written again here, keep; it
// is sent to no other host, path or scheme; and it is the same after the jar has been written to a file and read.
import CNetworkCoreCurl
import Foundation
@testable import NetworkCoreCurl
@testable import NetworkCoreTransport

private let origins = [
  "http://www.example.com/a/b", "https://www.example.com/a/b?c", "https://example.co.uk",
  "http://10.0.0.1/a/",
  "https://[::1]:8080/x", "http://localhost/login/../a", "https://sub.www.example.com/a/bc",
].compactMap(CookieOrigin.init)
private let now = 1_800_000_000

@Sendable func testCookies(_ input: FuzzInput) throws {
  var input = input
  let choice = input.byte()
  let sender = origins[Int(choice) % origins.count]
  // A head with a CR within a field is refused before.
  let fields = input.bytes.split { $0 == 0x0A || $0 == 0x0D }.map(Array.init)
  var contents = CookieJarContents()
  for field in fields {
    let cookie = Cookie(field, from: sender, at: now)
    let plain = PlainCookie(field, from: sender)
    try requireEqual(cookie.map(PlainCookie.init), plain, String(decoding: field, as: UTF8.self))
    if let cookie {
      try checkReceivers(of: cookie, from: sender)
      contents.store(cookie, isFromSecureOrigin: sender.isSecure, at: now)
    }
  }
  if choice & 0x80 != 0 { try checkFile(contents) }
}

private func checkReceivers(of cookie: Cookie, from sender: CookieOrigin) throws {
  var contents = CookieJarContents()
  contents.store(cookie, isFromSecureOrigin: sender.isSecure, at: now)
  let identity = cookie.identity
  for receiver in origins {
    let isInDomain =
      receiver.host == identity.domain
      || !identity.isHostOnly && receiver.host.hasSuffix("." + identity.domain) && !receiver.isAddress
    // Section 5.1.4.
    let (path, own) = (receiver.path, identity.path)
    let isBelow = path == own || path.starts(with: own.last == .slash ? own : own + [.slash])
    let isExpected =
      isInDomain && isBelow && (receiver.isSecure || !cookie.isSecure) && (cookie.expiry ?? .max) > now
    try requireEqual(
      contents.sent(to: receiver, at: now).count, isExpected ? 1 : 0,
      "the cookies of \(identity.domain) for \(receiver.host)")
  }
}

private func checkFile(_ contents: CookieJarContents) throws {
  // A folder in memory; each process has its own file.
  let file = try CookieFile("/dev/shm/reactive-network-fuzzing-\(getpid())")
  defer { unlink(file.path) }
  let cookies = contents.all(at: now)
  file.write(cookies)
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
      guard value.unicodeScalars.count <= 1024, !Self.hasControl(value) else { continue }
      switch String(decoding: Self.bytes(name), as: UTF8.self).lowercased() {
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      case "domain":
        let bytes = Self.bytes(value)
        let name = bytes.first == UInt8(ascii: ".") ? bytes.dropFirst() : bytes[...]
        attributeDomain = String(decoding: name, as: UTF8.self).lowercased()
      case "path": attributePath = value.unicodeScalars.first == "/" ? value : nil
      case "expires": expires = CookieDate.seconds(Self.bytes(value)) ?? expires
      case "max-age":
        let digits = value.unicodeScalars.first == "-" ? String(value.unicodeScalars.dropFirst()) : value
        guard !digits.isEmpty, digits.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }) else { break }
        let isNegative = digits != value || digits.allSatisfy { $0 == "0" }
        age = isNegative ? 0 : now + (Int(digits) ?? .max / 2)
      default: break
      }
    }
    expiry = (age ?? expires).map { min($0, now + 400 * 86_400) }
    if let attributePath { path = Self.bytes(attributePath) }
    guard origin.isSecure || !isSecure else { return nil }
    guard takesDomain(attributeDomain, of: origin) else { return nil }
    let prefix = halves.0.lowercased()
    if prefix.hasPrefix("__secure-"), !isSecure { return nil }
    if prefix.hasPrefix("__host-"), !isSecure || !attributeDomain.isEmpty || attributePath != "/" {
      return nil
    }
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

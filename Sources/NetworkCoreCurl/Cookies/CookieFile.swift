internal import CNetworkCoreCurl
internal import Foundation
internal import NetworkCoreTransport

/// A file of cookies in Netscape's format, which curl and other programs read and write too: one cookie a
/// line, as tab-separated domain, whether its hosts get the cookie too, path, whether it is secure, time of
/// expiry (0 for a session cookie), name and value.
struct CookieFile {
  private static let sizeLimit = 64 << 20

  let path: String

  /// Checks that the file can be written.
  init(_ path: String) throws(CurlConfigurationError) {
    // A link stays a link.
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let directory = url.deletingLastPathComponent().path
    var isDirectory: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
    guard !path.isEmpty, FileManager.default.isWritableFile(atPath: directory),
      !(isThere && isDirectory.boolValue)
    else { throw .unwritableFile(path: path) }
    self.path = url.path
  }

  /// Reads the cookies; a file that does not exist has none.
  ///
  /// - Throws: `CurlConfigurationError.unreadableFile` if the file cannot be read, is no regular file, or
  ///   belongs to another user.
  func read() throws(CurlConfigurationError) -> [Cookie] {
    do throws(SystemCallError) {
      let data = try PrivateFile.read(path, limit: Self.sizeLimit)
      return data.split(separator: UInt8(ascii: "\n")).compactMap { Cookie(line: $0) }
    } catch {
      if error.code == ENOENT { return [] }
      throw .unreadableFile(path: path)
    }
  }

  /// Replaces the file, which only this user can read then.
  ///
  /// If that fails, the cookies are lost, because nobody is left to be told.
  func write(_ cookies: some Sequence<Cookie>) {
    var data = Data("# Netscape HTTP Cookie File\n".utf8)
    for cookie in cookies { data += cookie.line }
    try? PrivateFile.replace(at: path, with: data, through: "\(path).\(UUID().uuidString)")
  }
}

extension Cookie {
  private static let httpOnlyMark = Array("#HttpOnly_".utf8)

  /// Reads a line of a file; `nil` for a comment or a line of another format.
  fileprivate init?(line: Data) {
    var rest = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    isHTTPOnly = rest.starts(with: Self.httpOnlyMark)
    if isHTTPOnly { rest = rest.dropFirst(Self.httpOnlyMark.count) }
    let fields = rest.split(separator: UInt8.tab, omittingEmptySubsequences: false)
    guard rest.first != UInt8(ascii: "#"), (6...7).contains(fields.count), !fields[5].isEmpty,
      fields[2].first == .slash, let expiry = Int(String(decoding: fields[4], as: UTF8.self)),
      !rest.contains(where: \.isForbiddenControl)
    else { return nil }
    let (name, path) = (Array(fields[5]), Array(fields[2]))
    let (isHostOnly, isSecure) = (!fields[1].isTrue, fields[3].isTrue)
    // Other programs may have written what a server must not set.
    let isOfHost = isHostOnly && path == [.slash]
    guard Self.keepsPromise(of: name, isSecure: isSecure, isOfHost: isOfHost) else { return nil }
    let text = String(decoding: fields[0], as: UTF8.self)
    let domain = Self.normalized(text.hasPrefix(".") ? String(text.dropFirst()) : text)
    // A server may name a public suffix only as its own host.
    identity = Identity(
      name: name, domain: domain,
      isHostOnly: isHostOnly || ccurl_public_suffix(domain) == CCURL_SUFFIX_PUBLIC, path: path)
    value = fields.count == 7 ? Array(fields[6]) : []
    guard name.count + value.count <= Self.sizeLimit else { return nil }
    self.isSecure = isSecure
    self.expiry = expiry == 0 ? nil : expiry
  }

  /// Returns a domain in the spelling of `CookieOrigin`.
  private static func normalized(_ domain: String) -> String {
    // The path of a Unix domain socket, whose case matters, begins with an encoded slash.
    domain.hasPrefix("%") ? domain : HostTable<Never>.normalized(domain)
  }

  fileprivate var line: Data {
    let domain = (identity.isHostOnly ? "" : ".") + identity.domain
    let columns = [
      Array(((isHTTPOnly ? "#HttpOnly_" : "") + domain).utf8),
      Array((identity.isHostOnly ? "FALSE" : "TRUE").utf8),
      identity.path, Array((isSecure ? "TRUE" : "FALSE").utf8), Array("\(expiry ?? 0)".utf8), identity.name,
      value,
    ]
    return Data(columns.joined(separator: [UInt8.tab])) + [UInt8(ascii: "\n")]
  }
}

extension Data {
  fileprivate var isTrue: Bool { hasLowercasedPrefix("true") }
}

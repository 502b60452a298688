internal import Foundation
internal import ReactiveNetworkLock

/// The cookies of one transport.
///
/// libcurl's own storage is not used: it keeps a cookie before the transport sees the field, and its rules
/// differ from version to version.
final class CookieJar: Sendable {
  /// The most cookies that a request sends, and the most bytes, as for libcurl.
  private static let (sentLimit, sizeLimit) = (150, 8_190)

  private let contents = Lock(CookieJarContents())
  private let file: CookieFile?

  /// Creates a jar with the cookies of a file.
  init(_ file: CookieFile?) throws(CurlConfigurationError) {
    // Read before the jar is complete: otherwise an error would release it, and write an empty file.
    let cookies = try file?.read() ?? []
    self.file = file
    contents.withLock { contents in
      for cookie in cookies { contents.store(cookie, isFromSecureOrigin: true, at: Self.now) }
    }
  }

  /// Writes the file, after the last loop has released the jar.
  deinit {
    file?.write(contents.withLock { $0.all(at: Self.now) })
  }

  private static var now: Int { time(nil) }

  /// Keeps the cookie of a `Set-Cookie` field, unless its sender must not set it.
  func store(_ field: some Collection<UInt8>, from origin: CookieOrigin) {
    let now = Self.now
    guard let cookie = Cookie(Array(field), from: origin, at: now) else { return }
    contents.withLock { $0.store(cookie, isFromSecureOrigin: origin.isSecure, at: now) }
  }

  /// Returns the value of a request's `Cookie` field; empty if there is no cookie for it.
  func field(for origin: CookieOrigin) -> [UInt8] {
    let cookies = contents.withLock { $0.sent(to: origin, at: Self.now) }
    var field: [UInt8] = []
    for cookie in cookies.prefix(Self.sentLimit) {
      let size = cookie.identity.name.count + cookie.value.count + 3
      guard field.count + size <= Self.sizeLimit else { break }
      if !field.isEmpty { field += "; ".utf8 }
      field += cookie.identity.name + [UInt8(ascii: "=")] + cookie.value
    }
    return field
  }
}

extension CurlConfiguration.CookieStorage {
  /// Creates the jar; `nil` if no cookies are kept.
  func jar() throws(CurlConfigurationError) -> CookieJar? {
    switch self {
    case .none: nil
    case .memory: try CookieJar(nil)
    case .file(let path): try CookieJar(CookieFile(path))
    }
  }
}

internal import CCurl
internal import Foundation

/// The cookies of one transport, which all its handles share (`CURLOPT_SHARE`).
///
/// Sendable because libcurl takes `locks` wherever a handle uses what is shared, and `keeper` is used by `init` and `deinit`
/// alone.
final class CurlCookieJar: @unchecked Sendable {
  private let curl: UnsafePointer<ccurl_library>
  private let share: UnsafeMutableRawPointer
  private let locks: OpaquePointer
  /// Reads and writes the file; never on the wire.
  private let keeper: UnsafeMutableRawPointer?
  private let path: String?

  /// `nil` where libcurl has no memory.
  init?(curl: UnsafePointer<ccurl_library>, path: String?) {
    guard let share = curl.pointee.share_init() else { return nil }
    guard let locks = ccurl_share_cookies(curl, share) else {
      _ = curl.pointee.share_cleanup(share)
      return nil
    }
    self.curl = curl
    self.share = share
    self.locks = locks
    self.path = path
    keeper = path.flatMap { _ in curl.pointee.easy_init() }
    guard let path, let keeper else { return }
    _ = ccurl_setopt_pointer(curl, keeper, CCURLOPT_SHARE, share)
    _ = ccurl_setopt_string(curl, keeper, CCURLOPT_COOKIEFILE, path)
    _ = ccurl_setopt_string(curl, keeper, CCURLOPT_COOKIELIST, "RELOAD")
  }

  /// The options that give a handle these cookies.
  var settings: [CurlSetting] {
    [
      CurlSetting("CURLOPT_SHARE", CCURLOPT_SHARE, .share(CurlShare(pointer: share))),
      // Empty: no file, but the engine is on.
      CurlSetting("CURLOPT_COOKIEFILE", CCURLOPT_COOKIEFILE, .string("")),
    ]
  }

  /// Writes the file and gives up the jar; after the last handle that shares it.
  deinit {
    if let keeper, let path {
      // A new file is for this user alone; libcurl writes one that is there with the rights that it has.
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 { close(descriptor) }
      _ = ccurl_setopt_string(curl, keeper, CCURLOPT_COOKIEJAR, path)
      _ = ccurl_setopt_string(curl, keeper, CCURLOPT_COOKIELIST, "FLUSH")
      curl.pointee.easy_cleanup(keeper)
    }
    _ = curl.pointee.share_cleanup(share)
    ccurl_locks_free(locks)
  }
}

extension CurlConfiguration.CookieStorage {
  /// The jar, `nil` where no cookies are kept.
  func jar(_ library: CurlLibrary) throws(CurlConfigurationError) -> CurlCookieJar? {
    let file: String?
    switch self {
    case .none: return nil
    case .memory: file = nil
    case .file(let path):
      let url = URL(fileURLWithPath: path)
      let directory = url.deletingLastPathComponent().path
      var isDirectory: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      guard !path.isEmpty, FileManager.default.isWritableFile(atPath: directory),
        !(isThere && isDirectory.boolValue)
      else { throw .unwritableFile(path: path) }
      file = url.path
    }
    guard let jar = CurlCookieJar(curl: library.table, path: file) else {
      throw .unavailable(CurlUnavailableError(reason: "curl_share_init failed"))
    }
    return jar
  }
}

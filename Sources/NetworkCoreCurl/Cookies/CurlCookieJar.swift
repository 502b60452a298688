internal import CNetworkCoreCurl
internal import Foundation
internal import ReactiveNetworkLock

/// The cookies of one transport, shared by all its handles (`CURLOPT_SHARE`).
///
/// Sendable because libcurl takes `locks` whenever a handle uses the share, and `maintenanceHandle` is used
/// only by `init`, by `deinit`, and under the lock of `remainingUntilCount`.
final class CurlCookieJar: @unchecked Sendable {
  private let curl: UnsafePointer<ccurl_library>
  private let share: UnsafeMutableRawPointer
  private let locks: OpaquePointer
  /// Reads and writes the file, and removes cookies; it sends no requests.
  private let maintenanceHandle: UnsafeMutableRawPointer
  private let path: String?
  /// The number of cookies that may be set before they are counted again; 0 at first, because the file may
  /// have many.
  private let remainingUntilCount = Lock(0)

  /// Returns `nil` if libcurl has no memory.
  init?(curl: UnsafePointer<ccurl_library>, path: String?) {
    guard let share = curl.pointee.share_init() else { return nil }
    guard let maintenanceHandle = curl.pointee.easy_init() else {
      _ = curl.pointee.share_cleanup(share)
      return nil
    }
    guard let locks = ccurl_share_cookies(curl, share) else {
      curl.pointee.easy_cleanup(maintenanceHandle)
      _ = curl.pointee.share_cleanup(share)
      return nil
    }
    self.curl = curl
    self.share = share
    self.locks = locks
    self.path = path
    self.maintenanceHandle = maintenanceHandle
    _ = ccurl_setopt_pointer(curl, maintenanceHandle, CCURLOPT_SHARE, share)
    guard let path else { return }
    _ = ccurl_setopt_string(curl, maintenanceHandle, CCURLOPT_COOKIEFILE, path)
    _ = ccurl_setopt_string(curl, maintenanceHandle, CCURLOPT_COOKIELIST, "RELOAD")
  }

  /// The options that give these cookies to a handle.
  var settings: [CurlSetting] {
    [
      CurlSetting("CURLOPT_SHARE", CCURLOPT_SHARE, .share(CurlShare(pointer: share))),
      // An empty name means no file, but enables the cookie engine.
      CurlSetting("CURLOPT_COOKIEFILE", CCURLOPT_COOKIEFILE, .string("")),
    ]
  }

  /// Writes the file and releases the jar, after the last handle that shares it.
  deinit {
    if let path {
      // A new file is private to this user; libcurl keeps the permissions of an existing one.
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 { close(descriptor) }
      _ = ccurl_setopt_string(curl, maintenanceHandle, CCURLOPT_COOKIEJAR, path)
      _ = ccurl_setopt_string(curl, maintenanceHandle, CCURLOPT_COOKIELIST, "FLUSH")
    }
    curl.pointee.easy_cleanup(maintenanceHandle)
    _ = curl.pointee.share_cleanup(share)
    ccurl_locks_free(locks)
  }
}

extension CurlCookieJar {
  /// The number of cookies that a client should at least be able to store (RFC 6265, section 6.1); libcurl
  /// (7.88) has no limit.
  static let limit = 3_000

  /// Notes that a response has set a cookie.
  func noteCookie() {
    remainingUntilCount.withLock { remainingUntilCount in
      remainingUntilCount -= 1
      if remainingUntilCount <= 0 { remainingUntilCount = removeSurplus() }
    }
  }

  /// Removes cookies if there are too many, and returns the number that may be set before the next count.
  private func removeSurplus() -> Int {
    // Removes more than the surplus, so that not every new cookie causes a count.
    let step = Self.limit / 10
    let first = ccurl_getinfo_pointer(curl, maintenanceHandle, CCURLINFO_COOKIELIST)?.assumingMemoryBound(
      to: ccurl_slist.self)
    defer { curl.pointee.slist_free_all(first) }
    // All cookies; those of one domain are in the order of their arrival.
    var lines: [CookieLine] = []
    var node = first
    while let current = node {
      if let text = current.pointee.data, let line = CookieLine(text) { lines.append(line) }
      node = current.pointee.next
    }
    guard lines.count > Self.limit else { return max(step, Self.limit - lines.count) }
    let rest = Self.limit - step
    let domains = Dictionary(grouping: lines, by: \.domain).values
    let commonLimit = Self.commonLimit(domains.map(\.count), total: rest)
    let surplus: [CookieLine] = domains.flatMap { $0.dropLast(commonLimit) }
    for line in surplus.prefix(lines.count - rest) {
      _ = ccurl_setopt_string(curl, maintenanceHandle, CCURLOPT_COOKIELIST, line.expired)
    }
    return step
  }

  /// Returns the limit to which each of several numbers must be reduced so that their sum is at most `total`.
  private static func commonLimit(_ counts: [Int], total: Int) -> Int {
    var left = total
    for (index, count) in counts.sorted().enumerated() {
      let share = left / (counts.count - index)
      if count > share { return share }
      left -= count
    }
    return total
  }
}

extension CurlConfiguration.CookieStorage {
  /// Creates the jar; `nil` if no cookies are kept.
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

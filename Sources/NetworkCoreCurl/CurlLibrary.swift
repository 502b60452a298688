internal import CNetworkCoreCurl
public import Foundation
internal import ReactiveNetworkLock

/// The reason why libcurl cannot be used: it was not found, is too old, lacks a function, or failed to start.
public struct CurlUnavailableError: Error, Sendable, Hashable, LocalizedError {
  /// A description by the dynamic linker or by libcurl.
  public let reason: String

  /// A description of the error in one line.
  public var errorDescription: String? { "libcurl cannot be used: \(reason)" }
}

/// libcurl, loaded at run time.
///
/// Sendable because the table of functions behind `table` is filled before the pointer is shared, is never
/// written afterwards, and is freed only when the last reference to the library is gone.
package final class CurlLibrary: @unchecked Sendable {
  #if canImport(Darwin)
    package static let names = ["libcurl.4.dylib", "libcurl.dylib"]
  #else
    package static let names = ["libcurl.so.4", "libcurl.so"]
  #endif

  /// The oldest supported version.
  ///
  /// From this version on, the transport can prevent libcurl from sending a request over a connection
  /// (`CURLOPT_PREREQFUNCTION`): it must not send a POST twice, or use a reused connection with unread bytes,
  /// which would be read as the response.
  package static let floor = (major: 7, minor: 80)

  let table: UnsafePointer<ccurl_library>
  /// The name and version of libcurl and its parts, such as `libcurl/7.88.1 OpenSSL/3.0.9`.
  package let version: String
  /// The major and minor version; the floor if libcurl does not report it.
  let number: (major: Int, minor: Int)
  /// The defects of this version.
  let defects: LibcurlDefects
  /// The library that verifies certificates.
  let verifyingLibrary: VerifyingLibrary

  /// The names of options that are treated as unknown, as by an older version.
  let unsupportedOptions: Set<String>

  /// The options for the system's authorities, found out when they are first needed.
  private let authorities = Lock<[CurlSetting]?>(nil)

  /// The options for the system's authorities.
  var systemAuthorities: [CurlSetting] {
    if let known = authorities.withLock({ $0 }) { return known }
    let found = SystemAuthorities.settings(self)
    authorities.withLock { $0 = found }
    return found
  }

  private static let standard = Result<CurlLibrary, CurlUnavailableError> {
    () throws(CurlUnavailableError) in try CurlLibrary(names: names)
  }

  /// Returns the system's libcurl; the first call loads it.
  static func system() throws(CurlUnavailableError) -> CurlLibrary {
    try standard.get()
  }

  /// Loads the first of `names` that the dynamic linker finds.
  ///
  /// Tests list options in `unsupportedOptions` that it must refuse like an older libcurl, and pass another
  /// `floor`.
  package init(
    names: [String], unsupportedOptions: Set<String> = [], floor: (major: Int, minor: Int) = CurlLibrary.floor
  ) throws(CurlUnavailableError) {
    self.unsupportedOptions = unsupportedOptions
    var reason = [CChar](repeating: 0, count: 512)
    // The C strings live until the call returns, and `ccurl_load` keeps none of them.
    let copies = names.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let loaded = copies.map { UnsafePointer($0) }.withUnsafeBufferPointer {
      let oldest = ccurl_version(major: CInt(floor.major), minor: CInt(floor.minor))
      return ccurl_load($0.baseAddress, $0.count, oldest, &reason, reason.count)
    }
    guard let loaded else {
      let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw CurlUnavailableError(reason: String(decoding: text, as: UTF8.self))
    }
    table = loaded
    let version = loaded.pointee.version().map { String(cString: $0) } ?? "libcurl"
    self.version = version
    let words: [Substring] = version.split { "/. ".contains($0) }
    let numbers: [Int] = words.dropFirst().prefix(2).compactMap { Int($0) }
    let reported = numbers.count == 2 ? (major: numbers[0], minor: numbers[1]) : nil
    number = reported ?? floor
    defects = LibcurlDefects(version: reported)
    verifyingLibrary = VerifyingLibrary(version: version)
  }

  deinit {
    ccurl_release(table)
  }
}

internal import CNetworkCoreCurl
public import Foundation

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
  /// Whether a response that begins with a continuation line must be withheld from libcurl.
  ///
  /// Up to 8.1, an easy handle keeps a dangling pointer to the last field of its last response, and writes a
  /// continuation line before any field to it: any server could corrupt the memory of the process.
  let mishandlesFirstContinuation: Bool
  /// Whether a connection that uses HTTP/2 without negotiation can carry only one request.
  ///
  /// For a second request, 7.88 would start HTTP/2 within HTTP/2, and end it with `CURLE_HTTP2`.
  let limitsPriorKnowledgeToOneRequest: Bool
  /// Whether libcurl leaves it to the transport to retry requests that a GOAWAY excludes; see
  /// `GoAwayLogLine`.
  ///
  /// From 8.0 on, libcurl does that itself, as all versions do after `REFUSED_STREAM`.
  let leavesGoAwayRetries: Bool
  /// Whether the window of an HTTP/2 stream grows although its transfer is paused.
  ///
  /// 8.12 restores the window with each frame that arrives, buffers 64 MiB and then ends the transfer with
  /// `CURLE_TOO_LARGE`; 8.16 does not. A rate limit (`CURLOPT_MAX_RECV_SPEED_LARGE`) also limits the window.
  /// It delays nothing, because it is set only while the transfer is paused. This can be removed when 8.16 is
  /// the floor; `HTTP2Tests` fails with 8.12 without it.
  let growsPausedWindows: Bool
  /// Whether a transfer must not be paused again within the call that ends a pause; see
  /// `CurlTransfer.deferBytes(_:)`.
  ///
  /// 8.16 fails in that case. 8.12, 8.19 and newer versions do not; the latter end transfers that are paused
  /// after that call.
  let losesDataPausedAgain: Bool
  /// Whether the codes of `CURLINFO_SSL_VERIFYRESULT` are OpenSSL's.
  let verifiesWithOpenSSL: Bool

  /// The names of options that are treated as unknown, as by an older version.
  let unsupportedOptions: Set<String>

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
    number = numbers.count == 2 ? (numbers[0], numbers[1]) : floor
    mishandlesFirstContinuation = numbers.count != 2 || (numbers[0], numbers[1]) < (8, 2)
    limitsPriorKnowledgeToOneRequest = numbers == [7, 88]
    growsPausedWindows = numbers.count == 2 && numbers[0] == 8 && (7...15).contains(numbers[1])
    losesDataPausedAgain = numbers.count == 2 && numbers[0] == 8 && (13...18).contains(numbers[1])
    verifiesWithOpenSSL = [" OpenSSL/", " LibreSSL/", " BoringSSL", " AWS-LC/", " quictls/"].contains {
      version.contains($0)
    }
    leavesGoAwayRetries = numbers.count == 2 && numbers[0] < 8
  }

  deinit {
    ccurl_release(table)
  }
}

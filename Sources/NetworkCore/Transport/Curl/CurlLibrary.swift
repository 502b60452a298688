internal import CCurl
public import Foundation

/// Why libcurl cannot be used: it was not found, is too old, lacks a function, or would not start.
public struct CurlUnavailableError: Error, Sendable, Hashable, LocalizedError {
  /// What went wrong, in the words of the dynamic linker or of libcurl.
  public let reason: String

  /// What went wrong, in one line.
  public var errorDescription: String? { "libcurl cannot be used: \(reason)" }
}

/// libcurl, opened at run time.
///
/// Sendable because the table of functions behind `table` is filled before the pointer is handed out, never written
/// after that, and freed only when nobody holds the library any more.
package final class CurlLibrary: @unchecked Sendable {
  #if canImport(Darwin)
    package static let names = ["libcurl.4.dylib", "libcurl.dylib"]
  #else
    package static let names = ["libcurl.so.4", "libcurl.so"]
  #endif

  /// The oldest version that is used.
  ///
  /// From it on, libcurl asks before it sends a request over a connection (`CURLOPT_PREREQFUNCTION`). That keeps a POST from being
  /// sent twice, and a request from a kept connection on which bytes wait that would be taken for its answer.
  package static let floor = (major: 7, minor: 80)

  let table: UnsafePointer<ccurl_library>
  /// What libcurl calls itself and its parts, such as `libcurl/7.88.1 OpenSSL/3.0.9`.
  package let version: String
  /// The first two numbers of its version; the floor if it does not say.
  let number: (major: Int, minor: Int)
  /// Whether an answer that begins with a continued line must be kept from libcurl.
  ///
  /// Up to 8.1, an easy handle keeps a pointer to the last field of its last answer when that has been freed, and a
  /// continued line before any field is written to it: any server could damage the memory of the process.
  let mistakesFirstLine: Bool
  /// Whether a connection that speaks HTTP/2 without having agreed on it can carry one request alone.
  ///
  /// 7.88 would have the next one speak HTTP/2 within HTTP/2, and end it with `CURLE_HTTP2`.
  let losesPriorKnowledge: Bool
  /// Whether libcurl leaves it to the transport to send requests again that a GOAWAY leaves out: see `DepartureNote`.
  ///
  /// From 8.0 on, libcurl does that itself, as it does in all versions after `REFUSED_STREAM`.
  let leavesDepartures: Bool
  /// Whether the window of a stream of HTTP/2 grows although its transfer is paused.
  ///
  /// 8.12 makes it as large as before with each frame that comes, keeps 64 MiB and then ends the transfer with `CURLE_TOO_LARGE`; 8.16 does
  /// not. A limit of the rate (`CURLOPT_MAX_RECV_SPEED_LARGE`) is also one of the window. It holds nothing up, since it is set only while
  /// the transfer is paused. This may go when 8.16 is the floor; `HTTP2Tests` fails with 8.12 without it.
  let opensPausedWindows: Bool
  /// Whether a transfer must not be paused again within the call that ends a pause: see `CurlTransfer.withhold(_:)`.
  ///
  /// 8.16 fails then; 8.12 does not, nor do 8.19 and newer ones, which end transfers that have been paused after that call.
  let losesWhatIsPausedAgain: Bool
  /// Whether the codes of `CURLINFO_SSL_VERIFYRESULT` are OpenSSL's.
  let verifiesWithOpenSSL: Bool
  /// The fields of requests that do not have them.
  let fields: StandardFields

  /// The names of options that it is taken not to know, as an older one would not.
  let lacking: Set<String>

  private static let standard = Result<CurlLibrary, CurlUnavailableError> {
    () throws(CurlUnavailableError) in try CurlLibrary(names: names)
  }

  /// The system's libcurl, opened at the first call.
  static func system() throws(CurlUnavailableError) -> CurlLibrary {
    try standard.get()
  }

  /// Opens the first of `names` that the dynamic linker finds.
  ///
  /// Tests name options in `lacking` that it is to refuse as an older libcurl would, and another `floor`.
  package init(
    names: [String], lacking: Set<String> = [], floor: (major: Int, minor: Int) = CurlLibrary.floor
  ) throws(CurlUnavailableError) {
    self.lacking = lacking
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
    mistakesFirstLine = numbers.count != 2 || (numbers[0], numbers[1]) < (8, 2)
    losesPriorKnowledge = numbers == [7, 88]
    opensPausedWindows = numbers.count == 2 && numbers[0] == 8 && (7...15).contains(numbers[1])
    losesWhatIsPausedAgain = numbers.count == 2 && numbers[0] == 8 && (13...18).contains(numbers[1])
    verifiesWithOpenSSL = [" OpenSSL/", " LibreSSL/", " BoringSSL", " AWS-LC/", " quictls/"].contains {
      version.contains($0)
    }
    leavesDepartures = numbers.count == 2 && numbers[0] < 8
    fields = StandardFields(encodings: Packing.usable)
  }

  deinit {
    ccurl_release(table)
  }
}

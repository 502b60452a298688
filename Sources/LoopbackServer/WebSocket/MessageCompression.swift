import CLoopbackServer

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Compresses and decompresses messages of WebSockets (RFC 7692), each on its own.
enum MessageCompression {
  /// The extension as the server accepts it.
  static let accepted = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

  /// The largest message in bytes.
  private static let limit = 1 << 30

  static var isAvailable: Bool { cloopback_can_deflate() }

  /// Returns the compressed message; `nil` if it is too large.
  static func compress(_ message: [UInt8]) -> [UInt8]? { run(cloopback_deflate, message) }

  /// Returns the message; `nil` if the bytes are not valid.
  static func decompress(_ bytes: [UInt8]) -> [UInt8]? { run(cloopback_inflate, bytes) }

  private static func run(
    _ function: (UnsafePointer<UInt8>?, Int, Int, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt8>?,
    _ bytes: [UInt8]
  ) -> [UInt8]? {
    var count = 0
    guard let output = bytes.withUnsafeBufferPointer({ function($0.baseAddress, $0.count, limit, &count) })
    else { return nil }
    defer { free(output) }
    return Array(UnsafeBufferPointer(start: output, count: count))
  }
}

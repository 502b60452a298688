import Foundation

/// The socket of a service manager: receives what a program reports about its state.
final class NotifySocket: Sendable {
  struct Failure: Error {
    let reason: String
  }

  /// The value for `NOTIFY_SOCKET`.
  let name: String
  private let descriptor: Int32

  /// Opens a socket with a name: a path, or an abstract name, which begins with `@`.
  init(_ name: String) throws {
    self.name = name
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let isBound = withUnsafeBytes(of: address) { raw in
      bind(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), length) == 0
    }
    guard isBound else { throw Failure(reason: "\(name): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  /// Returns the lines of the next message; `nil` if none arrives in time.
  func next(within seconds: Int = 120) throws -> [String]? {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else {
      guard errno == EAGAIN else { throw Failure(reason: String(cString: strerror(errno))) }
      return nil
    }
    return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Returns the messages up to the first with a line that begins with a text.
  @discardableResult
  func messages(until text: String) throws -> [[String]] {
    var seen: [[String]] = []
    while true {
      guard let message = try next() else { throw Failure(reason: "no \(text) after \(seen.suffix(20))") }
      seen.append(message)
      if message.contains(where: { $0.hasPrefix(text) }) { return seen }
    }
  }
}

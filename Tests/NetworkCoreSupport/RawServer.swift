import Foundation

/// A server for tests that passes each connection to a closure.
///
/// The calls block on separate threads, which end with their sockets. Releasing the object closes the
/// listening socket.
final class RawServer: Sendable {
  /// The port that the server listens on; 0 for a Unix domain socket.
  let port: UInt16
  private let listener: CInt

  /// Listens on a free port of 127.0.0.1, or on a Unix domain socket at a path.
  ///
  /// If `unread` is given, the system buffers no more than about that many bytes for a connection that is not
  /// read. `serve` receives each connection with the number of those before it; the connection closes when
  /// `serve` returns.
  init(at path: String? = nil, unread: CInt? = nil, serve: @escaping @Sendable (BlockingStream, Int) -> Void)
    throws
  {
    (listener, port) = try path.map { (try Self.listen(path: $0), 0) } ?? Self.listen()
    // Connections inherit the listener's buffer size, which takes effect from the first window that they
    // advertise.
    if let unread { BlockingStream(listener).limitReceiveBuffer(to: unread) }
    let listener = listener
    Thread.detachNewThread {
      for index in 0... {
        let client = accept(listener, nil, nil)
        if client < 0 { break }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread {
          let stream = BlockingStream(client)
          serve(stream, index)
          stream.close()
        }
      }
      close(listener)
    }
  }

  deinit {
    // Ends `accept`; the thread then closes the socket.
    shutdown(listener, CInt(SHUT_RDWR))
  }

  private static func listen() throws -> (CInt, UInt16) {
    let descriptor = socket(AF_INET, streamSocket, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = loopbackAddress(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isBound, Foundation.listen(descriptor, 64) == 0 else {
      throw InstalledProgram.Failure(program: "bind", status: errno, words: "no port")
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func listen(path: String) throws -> CInt {
    let descriptor = socket(AF_UNIX, streamSocket, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, Foundation.listen(descriptor, 64) == 0 else {
      throw InstalledProgram.Failure(program: "bind", status: errno, words: path)
    }
    return descriptor
  }
}

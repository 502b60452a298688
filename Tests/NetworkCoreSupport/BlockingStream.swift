import Foundation

#if canImport(Glibc)
  let streamSocket = CInt(SOCK_STREAM.rawValue)
#else
  let streamSocket = SOCK_STREAM
#endif

func loopbackAddress(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// A connected socket with blocking calls.
struct BlockingStream: Sendable {
  let descriptor: CInt

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  init?(port: UInt16) {
    descriptor = socket(AF_INET, streamSocket, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = loopbackAddress(port: port)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if !isConnected {
      close()
      return nil
    }
  }

  /// The peer's port.
  var peerPort: UInt16? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) == 0 }
    }
    return isKnown ? UInt16(bigEndian: address.sin_port) : nil
  }

  func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var byte: UInt8 = 0
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  func read(until end: String) -> String {
    var bytes: [UInt8] = []
    while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8), let next = read(1) { bytes += next }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Limits the system's receive buffer to about `unread` bytes.
  func limitReceiveBuffer(to unread: CInt) {
    var size = unread
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Reads up to `most` bytes that are available; returns their number, `nil` at the end.
  func readAvailable(upTo most: Int) -> Int? {
    var buffer = [UInt8](repeating: 0, count: most)
    let count = recv(descriptor, &buffer, most, 0)
    return count > 0 ? count : nil
  }

  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    #if canImport(Glibc)
      let flags = CInt(MSG_NOSIGNAL)
    #else
      let flags: CInt = 0
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  /// Forwards bytes in both directions until both sides have ended, then closes `other`.
  func forward(to other: BlockingStream) {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      other.copy(to: self)
      isDone.signal()
    }
    copy(to: other)
    isDone.wait()
    other.close()
  }

  private func copy(to other: BlockingStream) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 || !other.write(Array(buffer[..<count])) { break }
    }
    shutdown(other.descriptor, CInt(SHUT_WR))
    shutdown(descriptor, CInt(SHUT_RD))
  }

  func close() {
    Foundation.close(descriptor)
  }
}

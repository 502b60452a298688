import Foundation

/// Returns a port of the loopback interface on which no process is listening at the moment.
public func freePort() throws -> UInt16 {
  let (descriptor, port) = try boundSocket()
  close(descriptor)
  return port
}

/// Returns a port that refuses connections as long as this process runs: it stays bound, but nothing listens
/// on it.
public func closedPort() throws -> UInt16 {
  try boundSocket().port
}

private func boundSocket() throws -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = loopback(port: 0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  guard isBound else {
    let code = errno
    close(descriptor)
    throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
  }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}

func canConnect(to port: UInt16) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = loopback(port: port)
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}

private func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  return address
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The listening socket; closed when released.
final class Listener: Sendable {
  enum AcceptResult {
    case descriptor(Int32)
    case nothing
    /// No descriptor is left.
    case exhausted
  }

  let descriptor: Int32
  /// The port; 0 for a Unix socket.
  let port: UInt16
  /// The file of a Unix socket, which is deleted with the listener.
  private let path: String?

  init(_ address: LoopbackServer.Address) throws(LoopbackServer.SystemError) {
    let socket = try listeningSocket(address)
    descriptor = socket.descriptor
    port = socket.port
    if case .unix(let path) = address { self.path = path } else { path = nil }
  }

  deinit {
    close(descriptor)
    if let path { unlink(path) }
  }

  func accept() -> AcceptResult {
    while true {
      let accepted = systemAccept(descriptor, nil, nil)
      if accepted >= 0 { return .descriptor(accepted) }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      default: return .nothing
      }
    }
  }
}

func makeNonBlocking(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

/// Raises the process's soft limit of open descriptors to the hard limit, as far as the system allows it.
func raiseDescriptorLimit() {
  var limit = rlimit()
  guard getrlimit(descriptorLimit, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
  #if canImport(Darwin)
    limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
  #else
    limit.rlim_cur = limit.rlim_max
  #endif
  _ = setrlimit(descriptorLimit, &limit)
}

private func listeningSocket(
  _ address: LoopbackServer.Address
) throws(LoopbackServer.SystemError) -> (descriptor: Int32, port: UInt16) {
  switch address {
  case .ipv4(let port):
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return try listeningSocket(AF_INET, &address, port: \.sin_port)
  case .ipv6(let port):
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return try listeningSocket(AF_INET6, &address, port: \.sin6_port)
  case .unix(let path):
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isCopied = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      guard path.utf8.count < buffer.count else { return false }
      buffer.copyBytes(from: path.utf8)
      return true
    }
    guard isCopied else { throw LoopbackServer.SystemError(call: "bind \(path)", code: ENAMETOOLONG) }
    return try listeningSocket(AF_UNIX, &address, port: nil)
  }
}

private func listeningSocket<Address>(
  _ family: Int32, _ address: inout Address, port: KeyPath<Address, in_port_t>?
) throws(LoopbackServer.SystemError) -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(family, streamSocket, 0)
  guard descriptor >= 0 else { throw .last("socket") }
  do {
    try bindAndListen(descriptor, &address)
  } catch {
    systemClose(descriptor)
    throw error
  }
  return (descriptor, port.map { UInt16(bigEndian: address[keyPath: $0]) } ?? 0)
}

private func bindAndListen<Address>(
  _ descriptor: Int32, _ address: inout Address
) throws(LoopbackServer.SystemError) {
  makeNonBlocking(descriptor)
  var reuse: Int32 = 1
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
  var length = socklen_t(MemoryLayout<Address>.size)
  let failed: String? = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      if bind(descriptor, address, length) != 0 { return "bind" }
      if listen(descriptor, 4096) != 0 { return "listen" }
      return getsockname(descriptor, address, &length) == 0 ? nil : "getsockname"
    }
  }
  if let failed { throw .last(failed) }
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The result of a call on a non-blocking socket.
enum SocketResult {
  case bytes(Int)
  case wouldBlock
  /// The peer has closed or reset the connection.
  case closed
}

/// The descriptor of a connection; its creator closes it.
struct Socket {
  let descriptor: Int32

  /// Configures an accepted connection.
  init(accepted descriptor: Int32, sendBufferSize: Int?) {
    self.descriptor = descriptor
    makeNonBlocking(descriptor)
    setOption(tcpLevel, TCP_NODELAY, Int32(1))
    if let sendBufferSize { setOption(SOL_SOCKET, SO_SNDBUF, Int32(clamping: sendBufferSize)) }
    #if canImport(Darwin)
      setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
    #endif
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .closed }
      if errno != EINTR { return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .closed }
    }
  }

  func send(_ bytes: ArraySlice<UInt8>) -> SocketResult {
    bytes.withUnsafeBytes { bytes in
      while true {
        let count = systemSend(descriptor, bytes.baseAddress, bytes.count, noSignal)
        if count >= 0 { return .bytes(count) }
        if errno != EINTR { return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .closed }
      }
    }
  }

  /// Closes the sending side: the peer reads the sent bytes and then the end of the stream.
  func endSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends both directions, which ends the waits of other threads for the socket.
  func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Blocks until the socket can receive or send.
  func waitUntilReady(toSend: Bool) {
    var entry = pollfd(fd: descriptor, events: Int16(toSend ? POLLOUT : POLLIN), revents: 0)
    _ = poll(&entry, 1, -1)
  }

  func close() {
    systemClose(descriptor)
  }

  /// Closes with a reset instead of an orderly end.
  func reset() {
    setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    close()
  }

  private func setOption<Value>(_ level: Int32, _ option: Int32, _ value: Value) {
    withUnsafeBytes(of: value) {
      _ = setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
    }
  }
}

/// The listening socket; closed when released.
final class Listener: Sendable {
  enum AcceptResult {
    case descriptor(Int32)
    case nothing
    /// No descriptor is left.
    case exhausted
  }

  let descriptor: Int32
  let port: UInt16

  init(port: UInt16) throws(LoopbackServer.SystemError) {
    let descriptor = socket(AF_INET, streamSocket, 0)
    guard descriptor >= 0 else { throw .last("socket") }
    do {
      self.port = try bindAndListen(descriptor, port: port)
      self.descriptor = descriptor
    } catch {
      systemClose(descriptor)
      throw error
    }
  }

  deinit {
    close(descriptor)
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

private func bindAndListen(_ descriptor: Int32, port: UInt16) throws(LoopbackServer.SystemError) -> UInt16 {
  makeNonBlocking(descriptor)
  var reuse: Int32 = 1
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let bound = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
  }
  guard bound == 0 else { throw .last("bind") }
  guard listen(descriptor, 4096) == 0 else { throw .last("listen") }
  let named = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
  }
  guard named == 0 else { throw .last("getsockname") }
  return UInt16(bigEndian: address.sin_port)
}

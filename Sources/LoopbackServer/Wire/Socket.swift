#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The result of a call on a non-blocking socket.
enum SocketResult {
  case bytes(Int)
  case wouldBlock
  /// The peer sends nothing more.
  case end
  /// The peer has reset the connection, or it has failed.
  case closed
}

/// The descriptor of a connection, and its TLS; its creator closes it.
struct Socket {
  let descriptor: Int32
  var tls: TLSSession?

  /// Configures an accepted connection.
  init(accepted descriptor: Int32, sendBufferSize: Int?, tls: TLSSession?) {
    self.descriptor = descriptor
    self.tls = tls
    makeNonBlocking(descriptor)
    setOption(tcpLevel, TCP_NODELAY, Int32(1))
    if let sendBufferSize { setOption(SOL_SOCKET, SO_SNDBUF, Int32(clamping: sendBufferSize)) }
    #if canImport(Darwin)
      setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
    #endif
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
    if let tls { return tls.receive(into: buffer) }
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      if errno != EINTR { return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .closed }
    }
  }

  func send(_ bytes: ArraySlice<UInt8>) -> SocketResult {
    bytes.withUnsafeBytes { bytes in
      if let tls { return tls.send(bytes) }
      while true {
        let count = systemSend(descriptor, bytes.baseAddress, bytes.count, noSignal)
        if count >= 0 { return .bytes(count) }
        if errno != EINTR { return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .closed }
      }
    }
  }

  /// Closes the sending side: the peer reads the sent bytes and then the end of the stream.
  func endSending() {
    tls?.end()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends both directions, which ends the waits of other threads for the socket.
  func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Blocks until the socket can receive or send, at most until a time of `monotonicNow()`.
  func waitUntilReady(toSend: Bool, until deadline: UInt64 = .max) {
    var entry = pollfd(fd: descriptor, events: Int16(toSend ? POLLOUT : POLLIN), revents: 0)
    let now = monotonicNow()
    let limit = deadline == .max ? -1 : milliseconds(deadline > now ? deadline - now : 0)
    _ = poll(&entry, 1, limit)
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

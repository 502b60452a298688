// Constants that the C libraries define differently, and functions that methods of the same name would hide.
#if canImport(Darwin)
  import Darwin
  let noSignal: Int32 = 0
  let streamSocket = SOCK_STREAM
  let tcpLevel = IPPROTO_TCP
  let descriptorLimit = RLIMIT_NOFILE
  /// The `poll` event to request for a closed peer: none, because this system always reports it.
  let peerClosedEvent: Int16 = 0
#else
  import Glibc
  let noSignal = Int32(MSG_NOSIGNAL)
  let streamSocket = Int32(SOCK_STREAM.rawValue)
  let tcpLevel = Int32(IPPROTO_TCP)
  let descriptorLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  /// POLLRDHUP, which Glibc declares only under `_GNU_SOURCE`: the peer has closed, even if input is still
  /// unread.
  let peerClosedEvent: Int16 = 0x2000
#endif

func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  send(descriptor, bytes, count, flags)
}

func systemAccept(
  _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
) -> Int32 {
  accept(descriptor, address, length)
}

func systemClose(_ descriptor: Int32) {
  close(descriptor)
}

// Constants that the C libraries define differently, and functions that methods of the same name would hide.
#if canImport(Darwin)
  import Darwin
  let noSignal: Int32 = 0
  let streamSocket = SOCK_STREAM
  let tcpLevel = IPPROTO_TCP
  let descriptorLimit = RLIMIT_NOFILE
#else
  import Glibc
  let noSignal = Int32(MSG_NOSIGNAL)
  let streamSocket = Int32(SOCK_STREAM.rawValue)
  let tcpLevel = Int32(IPPROTO_TCP)
  let descriptorLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
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

import CLoopbackServer

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What can happen to a socket.
struct SocketEvents: OptionSet {
  let rawValue: Int32

  static let readable = SocketEvents(rawValue: Int32(CLOOPBACK_READABLE))
  static let writable = SocketEvents(rawValue: Int32(CLOOPBACK_WRITABLE))
  /// The peer has closed its sending side.
  static let closed = SocketEvents(rawValue: Int32(CLOOPBACK_CLOSED))
  /// Both sides are closed, or the connection has failed; reported without being asked for.
  static let ended = SocketEvents(rawValue: Int32(CLOOPBACK_ENDED))
}

/// Waits for events of any number of sockets, in time that does not depend on how many are idle (`epoll`;
/// `kqueue` where there is none).
///
/// The queue closes its descriptor when it is released.
final class EventQueue: Sendable {
  private let descriptor: Int32

  init() throws(LoopbackServer.SystemError) {
    descriptor = cloopback_queue_make()
    guard descriptor >= 0 else { throw .last("epoll_create1") }
  }

  deinit {
    close(descriptor)
  }

  /// Sets the events to report for a socket under a key; returns `false` if the system has no room for it.
  @discardableResult
  func watch(_ socket: Int32, as key: UInt64, for events: SocketEvents, isNew: Bool = false) -> Bool {
    cloopback_queue_watch(descriptor, socket, key, events.rawValue, isNew)
  }

  /// Reports no further events of a socket.
  func forget(_ socket: Int32) {
    cloopback_queue_forget(descriptor, socket)
  }

  /// Waits until something happens, or for so many milliseconds, for ever if they are -1.
  func wait(milliseconds: Int32) throws(LoopbackServer.SystemError) -> [(key: UInt64, events: SocketEvents)] {
    let (reports, count) = withUnsafeTemporaryAllocation(of: cloopback_event.self, capacity: 256) { buffer in
      let count = cloopback_queue_wait(descriptor, buffer.baseAddress, Int32(buffer.count), milliseconds)
      let reports = buffer.prefix(Int(max(count, 0))).map { ($0.key, SocketEvents(rawValue: $0.happened)) }
      return (reports, count)
    }
    guard count < 0, errno != EINTR else { return reports }
    throw .last("epoll_wait")
  }
}

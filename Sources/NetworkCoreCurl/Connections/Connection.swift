internal import Foundation
internal import Synchronization

/// A connection that libcurl has opened: its socket, and all that the transport knows about it.
///
/// Used on the loop's thread only, except for `socket` and `hasFlooded`, and for `readAtStall`.
final class Connection {
  let socket: CInt
  /// The origin for which it was opened, as text.
  let origin: String
  /// Whether the watchdog has ended the connection.
  let hasFlooded = Atomic(false)
  /// The bytes that had been read from it when the watchdog first saw it while a call made no progress; used on
  /// the watchdog's queue only.
  var readAtStall: Int64?
  /// The queue whose limiter counts the connection.
  var queue: OriginQueue?
  /// `nil` until a request is sent over the connection, and for a Unix domain socket.
  private(set) var endpoints: ConnectionEndpoints?
  /// Whether it uses TLS and HTTP/1.1.
  var isSecureHTTP1 = false
  /// The last stream that the server has processed or may process; `nil` if the server has not left the
  /// connection (GOAWAY).
  private(set) var lastProcessedStream: UInt32?
  /// Whether the resets of cancelled streams have not been sent yet.
  var mustFlush = false
  /// The first of the transfers on it, if several may share it.
  var firstTransfer: CurlTransfer?
  private(set) var isOpen = true
  private var peerStateAtClosing: PeerState?

  init(socket: CInt, origin: String) {
    self.socket = socket
    self.origin = origin
  }

  /// The state of the other side: at present, or when the connection closed.
  var peerState: PeerState? { isOpen ? PeerState(socket: socket) : peerStateAtClosing }

  /// Notes that libcurl has reported the addresses, because it is about to send a request.
  func identify(as endpoints: ConnectionEndpoints) {
    self.endpoints = endpoints
  }

  /// Notes that the server has left the connection, and the last stream that it has processed or may process.
  ///
  /// The server may send several GOAWAY frames, each with the same stream or an earlier one (RFC 9113,
  /// section 6.8).
  func noteGoAway(last: UInt32) {
    lastProcessedStream = min(last, lastProcessedStream ?? last)
  }

  /// Notes that the socket is about to close, after which its number may be reused.
  func noteClosing() {
    peerStateAtClosing = peerState
    isOpen = false
  }

  /// Whether there are unread bytes, or the connection has ended.
  ///
  /// libcurl (7.88 and 8.23) checks only for the end before it reuses a connection. With 8.12 and 8.16,
  /// the tests of unsolicited bytes pass without this check. Bytes that TLS itself sends between two
  /// responses, such as its close_notify, are a reason to abandon the connection as well. With HTTP/2, frames
  /// may arrive at any time.
  func hasInput(isSecure: Bool) -> Bool {
    guard isOpen, !isSecure || isSecureHTTP1 else { return false }
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
    // A byte from 0x14 to 0x17 begins a TLS record: the connection leads to a proxy over TLS.
    return count == 0 || count > 0 && (isSecure || !(0x14...0x17).contains(byte))
  }

  /// Whether the other side has closed the connection, and all that it has sent has been read.
  var isAtEnd: Bool {
    var byte: UInt8 = 0
    return isOpen && recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0
  }

  /// Whether the system accepts bytes to send, or reports an error instead.
  var takesBytes: Bool {
    var watched = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    return !isOpen || poll(&watched, 1, 0) != 0
  }
}

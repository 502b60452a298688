internal import Foundation

/// The state of the other side of a connection, as far as the system knows it.
///
/// libcurl has a single code (`CURLE_RECV_ERROR`) for a broken connection and for invalid bytes, and its
/// messages for both differ between versions.
enum PeerState {
  /// It has not closed the connection.
  case open
  /// It has announced that it sends no more (FIN).
  case finished
  /// The connection is gone (RST, or no response for too long).
  case reset

  /// Reads a socket's state; `nil` if the system does not report it.
  init?(socket: CInt) {
    #if os(Linux)
      // The first byte of `struct tcp_info` is the state.
      var state: UInt8 = 0
      var size = socklen_t(1)
      guard getsockopt(socket, CInt(IPPROTO_TCP), TCP_INFO, &state, &size) == 0, size == 1 else { return nil }
      // TCP_ESTABLISHED, and TCP_CLOSE.
      switch state {
      case 1: self = .open
      case 7: self = .reset
      default: self = .finished
      }
    #else
      return nil
    #endif
  }
}

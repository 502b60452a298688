internal import Foundation

/// How the other side of a connection has left it, as far as the system knows.
///
/// libcurl has one code (`CURLE_RECV_ERROR`) for a connection that breaks and for bytes that it cannot read, and other words for
/// both in each version.
enum PeerState {
  /// It has not.
  case open
  /// It has said that it sends no more (FIN).
  case finished
  /// The connection is gone (RST, or no answer for too long).
  case reset

  /// Asks the system about a socket; `nil` if that does not tell.
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

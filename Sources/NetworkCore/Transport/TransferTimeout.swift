/// What took too long.
public enum TransferTimeout: Sendable, Hashable {
  /// Finding the host and opening a connection to it, TLS included.
  case connect
  /// The first byte of the answer.
  case firstByte
  /// The next byte, in either direction.
  case idle
  /// The whole transfer, redirects included.
  case total
}

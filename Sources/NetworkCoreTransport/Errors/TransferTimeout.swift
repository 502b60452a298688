/// The phase of a transfer that took too long.
public enum TransferTimeout: Sendable, Hashable {
  /// Resolving the host and opening a connection to it, TLS included.
  case connect
  /// The wait for the first byte of the response.
  case firstByte
  /// The wait for the next byte, in either direction.
  case idle
  /// The whole transfer, redirects included.
  case total
}

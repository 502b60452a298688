/// An event of a transfer that only its transport can observe.
public enum TransportEvent: Sendable, Hashable {
  /// The transport opens a connection, after the name lookup; repeated if it tries several addresses.
  case connecting
  /// The request has a connection, and is sent next.
  case connected(Connection)
  /// The whole request has been passed to the connection; without a body, right after `connected`. Of a body of
  /// unknown length, 64 KiB may still wait for the connection.
  case requestSent
  /// The first byte of a response has arrived.
  case firstByte
  /// The transport follows a redirect to a URL.
  case redirected(to: String, statusCode: Int)
}

extension TransportEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: RedactableDescription {
    switch self {
    case .connecting: "connecting"
    case .connected(let connection): RedactableDescription("connected", (nil, .plain(connection)))
    case .requestSent: "requestSent"
    case .firstByte: "firstByte"
    case .redirected(let url, let status):
      RedactableDescription("redirected", ("to", .url(url)), ("statusCode", .plain(status)))
    }
  }
}

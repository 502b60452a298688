import NetworkCore
import RxLite

/// A connection of a `WebSocketSubject`.
struct WebSocketLink: Sendable {
  /// Counts the connections.
  let number: Int
  /// The messages of the server, which complete with the connection; they do not fail.
  let messages = PublishSubject<WebSocketMessage>()
}

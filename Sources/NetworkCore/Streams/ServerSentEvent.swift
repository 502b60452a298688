/// One event of a stream of server-sent events (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// The type of the event; `message` if the server does not send one.
  public var event: String
  /// The `data` lines of the event, joined by LF.
  public var data: String
  /// The last `id` that the server sent, with this event or an earlier one; empty if it has sent none.
  public var id: String

  /// Creates an event.
  public init(event: String = "message", data: String, id: String = "") {
    self.event = event
    self.data = data
    self.id = id
  }
}

/// One event of a stream of server-sent events (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// The kind of event: `message` where the server does not say.
  public var event: String
  /// What the server says: the event's `data` lines, joined by LF.
  public var data: String
  /// The last `id` that the server has given, with this event or an earlier one; empty where it has given none.
  public var id: String

  /// Makes an event.
  public init(event: String = "message", data: String, id: String = "") {
    self.event = event
    self.data = data
    self.id = id
  }
}

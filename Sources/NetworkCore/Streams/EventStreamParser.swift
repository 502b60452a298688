public import Foundation

/// Parses server-sent events from a body that arrives in chunks (WHATWG HTML, section 9.2.6).
///
/// ```swift
/// var parser = EventStreamParser()
/// try parser.append(Data("id: 7\ndata: one\ndata: two\n\n".utf8))
/// // [ServerSentEvent(data: "one\ntwo", id: "7")]
/// ```
///
/// An event without `data` is ignored, and so is an incomplete event at the end of the body. The parser
/// buffers at most one event.
public struct EventStreamParser: Sendable {
  /// The last `id` of a complete event, which a reconnection sends as `Last-Event-ID`.
  public private(set) var lastEventID: String
  /// The time to wait before a reconnection; `nil` if the server has not sent a `retry` field.
  public private(set) var reconnectionTime: Duration?
  fileprivate let limit: Int
  fileprivate var lines: ByteLineSplitter
  private var isAtStart = true
  private var event = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var id: String
  /// The complete events of the chunk in which a line or an event was too long.
  private var eventsBeforeError: [ServerSentEvent] = []

  /// Creates a parser for one connection.
  ///
  /// - Parameters:
  ///   - lastEventID: the last `id` of the previous connection.
  ///   - limit: the maximum number of bytes in a line, or in the data of an event.
  public init(lastEventID: String = "", limit: Int = 1 << 20) {
    self.lastEventID = lastEventID
    self.id = lastEventID
    self.limit = limit
    self.lines = ByteLineSplitter(ending: .any, limit: limit)
  }

  /// Parses the next chunk.
  ///
  /// - Parameter chunk: the chunk, of any length.
  /// - Returns: the events that are now complete.
  /// - Throws: `StreamError.lineTooLong` or `.eventTooLong`, as soon as the limit is exceeded; `finish()` then
  ///   returns the complete events of this chunk. Do not append any more after an error.
  public mutating func append(_ chunk: Data) throws(StreamError) -> [ServerSentEvent] {
    var found: [ServerSentEvent] = []
    do throws(StreamError) {
      try parse(chunk, into: &found)
    } catch {
      eventsBeforeError = found
      throw error
    }
    return found
  }

  /// Ends the body, which drops an incomplete event; `append(_:)` then begins another one, as after
  /// `beginConnection()`.
  ///
  /// - Returns: after an error, the complete events before it that have not been returned; otherwise none.
  public mutating func finish() -> [ServerSentEvent] {
    defer { beginConnection() }
    return eventsBeforeError
  }

  /// Prepares the parser for the stream of another connection; keeps `lastEventID` and `reconnectionTime`.
  public mutating func beginConnection() {
    lines = ByteLineSplitter(ending: .any, limit: limit)
    isAtStart = true
    id = lastEventID
    eventsBeforeError = []
    _ = dispatch()
  }

  fileprivate mutating func process(_ line: UnsafeRawBufferPointer) throws(StreamError) -> ServerSentEvent? {
    var line = line[...]
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    }
    guard !line.isEmpty else { return dispatch() }
    // A line that begins with a colon is a comment; its field name is empty.
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data":
      guard data.count + value.count + (hasData ? 1 : 0) <= limit else { throw .eventTooLong(limit: limit) }
      if hasData { data.append(0x0A) }
      data.append(contentsOf: value)
      hasData = true
    case "event":
      event = String(decoding: value, as: UTF8.self)
    case "id":
      if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    case "retry":
      let isNumber = value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      if isNumber, let time = Int(String(decoding: value, as: UTF8.self)) {
        reconnectionTime = .milliseconds(time)
      }
    default:
      break
    }
    return nil
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer {
      event = ""
      data.removeAll(keepingCapacity: data.count <= 4096)
      hasData = false
    }
    lastEventID = id
    // A `data` field without a value counts; the data of the event is then empty.
    guard hasData else { return nil }
    return ServerSentEvent(
      event: event.isEmpty ? "message" : event, data: String(decoding: data, as: UTF8.self), id: id)
  }
}

extension EventStreamParser: ChunkParser {
  /// Adds the events that are now complete.
  package mutating func parse(_ chunk: Data, into elements: inout [ServerSentEvent]) throws(StreamError) {
    // Moved out of `self`, because each line changes the rest of the parser.
    var lines = self.lines
    self.lines = ByteLineSplitter(ending: .any, limit: limit)
    try lines.append(chunk) { line throws(StreamError) in
      if let event = try process(line) { elements.append(event) }
    }
    self.lines = lines
  }

  /// Adds nothing, because an event without a final empty line is dropped.
  package mutating func finish(into elements: inout [ServerSentEvent]) {}
}

public import Foundation

/// Reads server-sent events from a body that comes in chunks (WHATWG HTML, section 9.2.6).
///
/// ```swift
/// var parser = EventStreamParser()
/// try parser.append(Data("id: 7\ndata: one\ndata: two\n\n".utf8))
/// // [ServerSentEvent(data: "one\ntwo", id: "7")]
/// ```
///
/// An event without any `data`, and one that the end of the body cuts off, are not events. What is kept is one event.
public struct EventStreamParser: Sendable {
  /// The last `id` that a whole event has given; what a reconnection sends as `Last-Event-ID`.
  public private(set) var lastEventID: String
  /// The seconds that the server wants to pass before a reconnection; `nil` where it has not said.
  public private(set) var reconnectionTime: TimeInterval?
  fileprivate let limit: Int
  fileprivate var lines: ByteLines
  private var isAtStart = true
  private var event = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var id: String

  /// Makes a parser for one connection.
  ///
  /// - Parameters:
  ///   - lastEventID: the last `id` of the connection before.
  ///   - limit: the most bytes that a line, or the data of an event, may have.
  public init(lastEventID: String = "", limit: Int = 1 << 20) {
    self.lastEventID = lastEventID
    self.id = lastEventID
    self.limit = limit
    self.lines = ByteLines(ending: .any, limit: limit)
  }

  /// Takes the next chunk.
  ///
  /// - Parameter chunk: the chunk, of any length.
  /// - Returns: the events that are whole now.
  /// - Throws: `StreamError.lineTooLong` or `.eventTooLong`, as soon as there are more bytes than allowed.
  public mutating func append(_ chunk: Data) throws(StreamError) -> [ServerSentEvent] {
    var found: [ServerSentEvent] = []
    try parse(chunk, into: &found)
    return found
  }

  /// Begins to read another connection's stream: `lastEventID` and `reconnectionTime` stay.
  public mutating func beginConnection() {
    lines = ByteLines(ending: .any, limit: limit)
    isAtStart = true
    id = lastEventID
    _ = dispatch()
  }

  fileprivate mutating func take(_ line: UnsafeRawBufferPointer) throws(StreamError) -> ServerSentEvent? {
    var line = line[...]
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    }
    guard !line.isEmpty else { return dispatch() }
    // A colon at the beginning makes a comment, whose name is empty.
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
        reconnectionTime = Double(time) / 1000
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
    // `data` without a value counts: the event's data is empty then.
    guard hasData else { return nil }
    return ServerSentEvent(
      event: event.isEmpty ? "message" : event, data: String(decoding: data, as: UTF8.self), id: id)
  }
}

extension EventStreamParser: ChunkParser {
  /// Adds the events that are whole now.
  package mutating func parse(_ chunk: Data, into elements: inout [ServerSentEvent]) throws(StreamError) {
    // Taken out, since each line changes the rest of the parser.
    var lines = self.lines
    self.lines = ByteLines(ending: .any, limit: limit)
    try lines.append(chunk) { line throws(StreamError) in
      if let event = try take(line) { elements.append(event) }
    }
    self.lines = lines
  }

  /// Adds nothing: an event that no empty line has ended is dropped.
  package mutating func finish(into elements: inout [ServerSentEvent]) {}
}

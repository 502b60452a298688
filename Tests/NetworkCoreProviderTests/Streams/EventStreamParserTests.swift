import Foundation
import NetworkCore
import Testing

@Suite("Server-sent events")
struct EventStreamParserTests {
  struct StreamCase: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let events: [ServerSentEvent]
    var lastEventID = ""
    var reconnectionTime: Duration?

    var testDescription: String { name }
  }

  static let streams = [
    StreamCase(name: "nothing", text: "", events: []),
    StreamCase(name: "one", text: "data: hello\n\n", events: [.init(data: "hello")]),
    StreamCase(
      name: "lines of data are joined", text: "data: YHOO\ndata: +2\ndata: 10\n\n",
      events: [.init(data: "YHOO\n+2\n10")]),
    StreamCase(
      name: "comments, identifiers and one blank",
      text: ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      events: [
        .init(data: "first event", id: "1"), .init(data: "second event"), .init(data: " third event"),
      ]),
    StreamCase(
      name: "data without a value, and an event that the end cuts off", text: "data\n\ndata\ndata\n\ndata:",
      events: [.init(data: ""), .init(data: "\n")]),
    StreamCase(
      name: "kinds", text: "event: add\ndata: 1\n\ndata: 2\n\nevent: lost\n\ndata: 3\n\n",
      events: [.init(event: "add", data: "1"), .init(data: "2"), .init(data: "3")]),
    StreamCase(
      name: "CR, LF and CR LF", text: "data: a\rdata: b\r\ndata: c\n\r\ndata: d\r\rdata: e\n\n",
      events: [.init(data: "a\nb\nc"), .init(data: "d"), .init(data: "e")]),
    StreamCase(
      name: "a byte order mark, once", text: "\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n",
      events: [.init(data: "a")]),
    StreamCase(
      name: "the identifier stays until a new one arrives, even without data",
      text: "id: 7\ndata: a\n\ndata: b\n\nid: 8\n\n",
      events: [.init(data: "a", id: "7"), .init(data: "b", id: "7")], lastEventID: "8"),
    StreamCase(
      name: "an identifier without the final empty line is ignored", text: "id: 7\ndata: a\n\nid: 8\n",
      events: [.init(data: "a", id: "7")], lastEventID: "7"),
    StreamCase(
      name: "an identifier with NUL is ignored", text: "id: 7\u{0}\ndata: a\n\n",
      events: [.init(data: "a")]),
    StreamCase(
      name: "reconnection times have only digits", text: "retry: 1500\nretry: 2s\nretry:\nretry: -1\n\n",
      events: [], reconnectionTime: .milliseconds(1500)),
    StreamCase(
      name: "unknown fields, and names in capitals or with spaces, are ignored",
      text: "DATA: a\n data: b\nfoo: c\ndata : d\n\ndata: e\n\n", events: [.init(data: "e")]),
    StreamCase(
      name: "characters of several bytes, and a combining mark after the colon",
      text: "event: größe\ndata:\u{301}👩‍👩‍👧\n\n", events: [.init(event: "größe", data: "\u{301}👩‍👩‍👧")]),
    StreamCase(name: "a colon in the value", text: "data: a: b\n\n", events: [.init(data: "a: b")]),
  ]

  @Test("the events are the same wherever the chunks split the stream", arguments: streams)
  func everySplit(stream: StreamCase) throws {
    let bytes = Data(stream.text.utf8)
    for split in 0...bytes.count {
      var parser = EventStreamParser()
      var events = try parser.append(bytes[..<split])
      events += try parser.append(bytes[split...])
      #expect(try events == expected(stream, parser), "split at \(split)")
    }
    var parser = EventStreamParser()
    var events: [ServerSentEvent] = []
    for byte in bytes { events += try parser.append(Data([byte])) }
    #expect(try events == expected(stream, parser), "byte by byte")
  }

  private func expected(_ stream: StreamCase, _ parser: EventStreamParser) throws -> [ServerSentEvent] {
    let id = stream.lastEventID.isEmpty ? stream.events.last?.id ?? "" : stream.lastEventID
    #expect(parser.lastEventID == id)
    #expect(parser.reconnectionTime == stream.reconnectionTime)
    return stream.events
  }

  @Test("a parser for a new connection continues with the identifier of the previous one")
  func identifier() throws {
    var parser = EventStreamParser(lastEventID: "7")
    #expect(try parser.append(Data("data: a\n\n".utf8)) == [.init(data: "a", id: "7")])
  }

  @Test("a new connection begins without the unfinished event of the previous one")
  func connection() throws {
    var parser = EventStreamParser()
    let text = "retry: 1500\nid: 7\ndata: a\n\nevent: add\nid: 8\ndata: lost\nda"
    #expect(try parser.append(Data(text.utf8)) == [.init(data: "a", id: "7")])
    parser.beginConnection()
    #expect(parser.lastEventID == "7")
    #expect(parser.reconnectionTime == .milliseconds(1500))
    #expect(try parser.append(Data("\u{FEFF}data: b\n\n".utf8)) == [.init(data: "b", id: "7")])
  }

  @Test("an event that finish() drops does not come back")
  func finished() throws {
    var parser = EventStreamParser()
    #expect(try parser.append(Data("id: 7\nevent: add\ndata: lost\nda".utf8)).isEmpty)
    #expect(parser.finish().isEmpty)
    #expect(try parser.append(Data("\n\ndata: b\n\n".utf8)) == [.init(data: "b")])
    #expect(parser.lastEventID.isEmpty)
  }

  @Test("an event that is too long is an error")
  func limit() throws {
    var parser = EventStreamParser(limit: 10)
    #expect(try parser.append(Data("data: 1234\ndata:12345\n\n".utf8)) == [.init(data: "1234\n12345")])
    #expect(throws: StreamError.eventTooLong(limit: 10)) {
      try parser.append(Data("data: 1234\ndata:12345\ndata\n".utf8))
    }
    var unlimited = EventStreamParser(limit: .max)
    #expect(try unlimited.append(Data("data: 1\ndata:2\n\nd".utf8)) == [.init(data: "1\n2")])
    var other = EventStreamParser(limit: 10)
    #expect(throws: StreamError.lineTooLong(limit: 10)) { try other.append(Data(repeating: 0x3A, count: 12)) }
  }

  @Test("a line may have a mebibyte by default, and not one byte more")
  func usualLimit() throws {
    var parser = EventStreamParser()
    #expect(try parser.append(Data(repeating: 0x3A, count: 1 << 20)).isEmpty)
    #expect(throws: StreamError.lineTooLong(limit: 1 << 20)) { try parser.append(Data(":".utf8)) }
  }

  @Test("the events before a line that is too long are returned at the end")
  func eventsBeforeError() throws {
    var parser = EventStreamParser(limit: 10)
    let text = "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\ndata: 12345678901\n"
    #expect(throws: StreamError.lineTooLong(limit: 10)) { try parser.append(Data(text.utf8)) }
    #expect(
      parser.finish() == [.init(data: "a", id: "1"), .init(data: "b", id: "1"), .init(data: "c", id: "2")])
    #expect(parser.finish().isEmpty)
    #expect(parser.lastEventID == "2")
    parser.beginConnection()
    #expect(try parser.append(Data("data: e\n\n".utf8)) == [.init(data: "e", id: "2")])
  }
}

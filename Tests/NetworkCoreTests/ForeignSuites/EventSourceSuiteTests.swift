import Foundation
import NetworkCore
import Testing

@Suite("The cases of event streams")
struct EventSourceSuiteTests {
  struct Stream: Decodable, Sendable {
    struct Event: Decodable, Sendable {
      let data: String
      let event: String?
      let id: String?
    }

    let text: String
    let events: [Event]
    let lastEventID: String?
    /// The reconnection time in seconds.
    let time: TimeInterval?
  }

  @Test("the file is complete")
  func file() throws { try ForeignSuite<Stream>.check("event-source", count: 29) }

  @Test(
    "each stream has its events, at every split into two pieces and byte by byte",
    arguments: ForeignSuite<Stream>.cases(of: "event-source"))
  func streams(_ stream: ForeignSuite<Stream>.Case) throws {
    let bytes = Data(stream.content.text.utf8)
    let expected = stream.content.events.map {
      ServerSentEvent(event: $0.event ?? "message", data: $0.data, id: $0.id ?? "")
    }
    let time = stream.content.time.map { Duration.milliseconds(Int(($0 * 1_000).rounded())) }
    let halves = (0...bytes.count).map { [bytes.prefix($0), bytes.dropFirst($0)] }
    for pieces in halves + [bytes.map { Data([$0]) }] {
      var parser = EventStreamParser()
      let events = try pieces.flatMap { try parser.append($0) }
      guard
        events == expected, parser.lastEventID == stream.content.lastEventID ?? "",
        parser.reconnectionTime == time
      else { return stream.expect(false, "\(events) in \(pieces.map(\.count))") }
    }
    stream.expect(true, "")
  }
}

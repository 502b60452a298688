// Property: however an event stream is split, it has the same events, and they are those that the steps of the
// HTML standard (section 9.2.6) yield for the whole text.
import Foundation
import NetworkCore

@Sendable func testEvents(_ input: FuzzInput) throws {
  var input = input
  let seed = input.byte()
  var parser = EventStreamParser(lastEventID: "last")
  var found: [ServerSentEvent] = []
  for piece in pieces(of: input.bytes, seed: seed) { found += try parser.append(Data(piece)) }
  let expected = PlainEvents(input.bytes)
  try requireEqual(found, expected.events, "events")
  try requireEqual(parser.lastEventID, expected.lastEventID, "last ID")
  try requireEqual(parser.reconnectionTime, expected.time, "reconnection time")
}

/// The algorithm of the standard, with strings.
private struct PlainEvents {
  var events: [ServerSentEvent] = []
  var lastEventID = "last"
  var time: TimeInterval?

  init(_ bytes: [UInt8]) {
    var bytes = bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    var text = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { $0 }[...]
    var (data, type, id) = ("", "", "last")
    while let end = text.firstIndex(where: { $0 == "\n" || $0 == "\r" }) {
      let line = text[..<end]
      let isReturn = text[end] == "\r"
      text = text[(end + 1)...]
      if isReturn, text.first == "\n" { text = text.dropFirst() }
      if line.isEmpty {
        lastEventID = id
        if !data.isEmpty {
          data.unicodeScalars.removeLast()
          events.append(ServerSentEvent(event: type.isEmpty ? "message" : type, data: data, id: id))
        }
        (data, type) = ("", "")
        continue
      }
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      var value = line[colon...].dropFirst()
      if value.first == " " { value = value.dropFirst() }
      let name = Self.string(line[..<colon])
      switch name {
      case "data": data += Self.string(value) + "\n"
      case "event": type = Self.string(value)
      case "id": if !value.contains("\0") { id = Self.string(value) }
      case "retry":
        if !value.isEmpty, value.allSatisfy({ ("0"..."9").contains($0) }),
          let number = Int(Self.string(value))
        {
          time = Double(number) / 1000
        }
      default: break
      }
    }
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}

// Property: however an event stream is split, it has the same events, and they are those that the steps of
// the HTML standard (section 9.2.6) yield for the whole text, or for the part before a line or an event that
// is too long; and the next stream is read like the first.
import Foundation
import NetworkCore

@Sendable func testEvents(_ input: FuzzInput) throws {
  var input = input
  let seed = input.byte()
  var parser = EventStreamParser(lastEventID: "last")
  var expected = PlainEvents([], lastEventID: "last")
  for connection in 1...2 {
    var found: [ServerSentEvent] = []
    for piece in pieces(of: input.bytes, seed: seed) { found += try parser.append(Data(piece)) }
    expected = PlainEvents(input.bytes, lastEventID: expected.lastEventID, time: expected.time)
    try requireEqual(found, expected.events, "events of connection \(connection)")
    try requireEqual(parser.lastEventID, expected.lastEventID, "last ID of connection \(connection)")
    try requireEqual(parser.reconnectionTime, expected.time, "time of connection \(connection)")
    try requireEqual(parser.finish(), [], "events after the end of connection \(connection)")
  }
  try checkLimit(input.bytes, seed)
}

private func checkLimit(_ bytes: [UInt8], _ seed: UInt8) throws {
  let limit = 24
  var parser = EventStreamParser(lastEventID: "last", limit: limit)
  var found: [ServerSentEvent] = []
  var isTooLong = false
  do {
    for piece in pieces(of: bytes, seed: seed) { found += try parser.append(Data(piece)) }
  } catch {
    isTooLong = true
  }
  found += parser.finish()
  let count = eventsBeforeExcess(bytes, limit)
  try requireEqual(isTooLong, count != nil, "more than \(limit) bytes")
  let expected = PlainEvents(bytes, lastEventID: "last").events.prefix(count ?? .max)
  try requireEqual(found, Array(expected), "events before an excess")
}

/// Returns how many events precede a line, or an event, of too many bytes; `nil` if there is none.
private func eventsBeforeExcess(_ bytes: [UInt8], _ limit: Int) -> Int? {
  var (line, count, isFirst): ([UInt8], Int, Bool) = ([], 0, true)
  var size: Int?
  for (index, byte) in bytes.enumerated() {
    if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }
    guard byte == 0x0A || byte == 0x0D else {
      line.append(byte)
      if line.count > limit { return count }
      continue
    }
    if isFirst, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    if line.isEmpty {
      if size != nil { count += 1 }
      size = nil
    } else if line == Array("data".utf8) || line.starts(with: "data:".utf8) {
      let blank = line.starts(with: "data: ".utf8) ? 1 : 0
      size = (size.map { $0 + 1 } ?? 0) + max(0, line.count - 5 - blank)
      if size ?? 0 > limit { return count }
    }
    (line, isFirst) = ([], false)
  }
  return nil
}

/// The algorithm of the standard, with strings.
private struct PlainEvents {
  var events: [ServerSentEvent] = []
  var lastEventID: String
  var time: Duration?

  init(_ bytes: [UInt8], lastEventID: String, time: Duration? = nil) {
    (self.lastEventID, self.time) = (lastEventID, time)
    var bytes = bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    var text = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { $0 }[...]
    var (data, type, id) = ("", "", lastEventID)
    while let end = text.firstIndex(where: { $0 == "\n" || $0 == "\r" }) {
      let line = text[..<end]
      let isReturn = text[end] == "\r"
      text = text[(end + 1)...]
      if isReturn, text.first == "\n" { text = text.dropFirst() }
      if line.isEmpty {
        self.lastEventID = id
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
          self.time = .milliseconds(number)
        }
      default: break
      }
    }
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}

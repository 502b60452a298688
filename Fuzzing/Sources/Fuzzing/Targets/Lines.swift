// Property: however a text is split, it has the same lines, and they are those that a plain loop over the
// whole text finds; of a text with a line that is too long, those before it; and the next text is read like
// the first.
import Foundation
@testable import NetworkCore

private let limit = 300

@Sendable func testLines(_ input: FuzzInput) throws {
  var input = input
  let seed = input.byte()
  let text = input.bytes
  for ending in [LineSplitter.Ending.any, .lineFeed] {
    let lines = plainLines(of: text, ending)
    var splitter = LineSplitter(ending: ending, limit: limit)
    // A CR at the end of the text, which no LF follows, does not count.
    let hasReturn = ending == .lineFeed && text.last == 0x0D
    let isTooLong = { (index: Int, mayEnd: Bool) in
      lines[index].count > limit + (mayEnd && hasReturn && index == lines.count - 1 ? 1 : 0)
    }
    let tooLong = lines.indices.first { isTooLong($0, true) }
    var found: [String] = []
    var isRefused = false
    do {
      for piece in pieces(of: text, seed: seed) { found += try splitter.append(Data(piece)) }
    } catch {
      isRefused = true
    }
    found += splitter.finish()
    try requireEqual(isRefused, tooLong != nil, "a line is too long for \(ending)")
    let expected = lines.map { String(decoding: $0, as: UTF8.self) }
    try requireEqual(found, Array(expected.prefix(tooLong ?? .max)), "\(ending)")
    guard !isRefused else { continue }

    // The same text again, as a sequence that a parser of chunks yields, for which the CR counts.
    let cut = lines.indices.first { isTooLong($0, false) }
    found = []
    do {
      for piece in pieces(of: text, seed: seed) { try splitter.parse(Data(piece), into: &found) }
      try splitter.finish(into: &found)
    } catch {
      isRefused = true
    }
    try requireEqual(isRefused, cut != nil, "the last line is too long for \(ending)")
    try requireEqual(found, Array(expected.prefix(cut ?? .max)), "\(ending), again")
  }
}

private func plainLines(of text: [UInt8], _ ending: LineSplitter.Ending) -> [[UInt8]] {
  var lines: [[UInt8]] = []
  var line: [UInt8] = []
  for (index, byte) in text.enumerated() {
    switch byte {
    case 0x0D where ending == .any:
      lines.append(line)
      line = []
    case 0x0A where ending == .any && index > 0 && text[index - 1] == 0x0D: break
    case 0x0A:
      if ending == .lineFeed, line.last == 0x0D { line.removeLast() }
      lines.append(line)
      line = []
    default: line.append(byte)
    }
  }
  return line.isEmpty ? lines : lines + [line]
}

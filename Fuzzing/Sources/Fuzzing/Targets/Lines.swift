// Property: however a text is split, it has the same lines, and they are those that a plain loop over the whole
// text finds.
import Foundation
import NetworkCore

@Sendable func testLines(_ input: FuzzInput) throws {
  var input = input
  let seed = input.byte()
  let text = input.bytes
  for ending in [LineSplitter.Ending.any, .lineFeed] {
    var splitter = LineSplitter(ending: ending, limit: 300)
    var found: [String] = []
    var isTooLong = false
    do {
      for piece in pieces(of: text, seed: seed) { found += try splitter.append(Data(piece)) }
      found += splitter.finish()
    } catch {
      isTooLong = true
    }
    let expected = plainLines(of: text, ending)
    if isTooLong {
      try require(expected.contains { $0.count > 300 }, "no line is too long for \(ending)")
    } else {
      // A CR at the end of the text, which no LF follows, does not count.
      let longest = ending == .lineFeed && text.last == 0x0D ? 301 : 300
      try require(expected.allSatisfy { $0.count <= longest }, "a line is too long for \(ending)")
      try requireEqual(found, expected.map { String(decoding: $0, as: UTF8.self) }, "\(ending)")
    }
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

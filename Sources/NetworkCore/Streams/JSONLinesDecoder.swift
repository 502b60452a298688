package import Foundation

/// Decodes a body in which each line is a JSON value (newline-delimited JSON); skips empty lines.
package struct JSONLinesDecoder<Value: Decodable & Sendable>: ChunkParser, @unchecked Sendable {
  // Unchecked only because of the decoder. One thread at a time uses a parser, and `JSONDecoder` may decode
  // on several threads at once anyway.
  private let decoder: JSONDecoder
  private var lines: ByteLineSplitter
  private var number = 0

  /// Creates a decoder of lines with at most `limit` bytes.
  package init(_ type: Value.Type, decoder: JSONDecoder, limit: Int) {
    self.decoder = decoder
    lines = ByteLineSplitter(ending: .lineFeed, limit: limit)
  }

  /// Adds the values of the lines that are now complete.
  package mutating func parse(_ chunk: Data, into elements: inout [Value]) throws(StreamError) {
    var number = self.number
    let decoder = decoder
    try lines.append(chunk) { line throws(StreamError) in
      number += 1
      if let value: Value = try Self.decode(Data(line), decoder, number: number) { elements.append(value) }
    }
    self.number = number
  }

  /// Adds the value of the last line, which may have no ending.
  package mutating func finish(into elements: inout [Value]) throws(StreamError) {
    try lines.checkLastLine()
    number += 1
    if let value: Value = try Self.decode(Data(lines.finish()), decoder, number: number) {
      elements.append(value)
    }
  }

  private static func decode(
    _ line: Data, _ decoder: JSONDecoder, number: Int
  ) throws(StreamError) -> Value? {
    guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return nil }
    do {
      return try decoder.decode(Value.self, from: line)
    } catch {
      let text = String(decoding: line.prefix(200), as: UTF8.self)
      throw .undecodableLine(number: number, text: text, reason: "\(error)")
    }
  }
}

import Foundation
import NetworkCore
import Testing

@Suite("Streams of compressed data", .timeLimit(.minutes(5)))
struct DeflateStreamTests {
  /// Returns the output for all of the input; `nil` if the input is not valid.
  private func process(_ bytes: [UInt8], with stream: DeflateStream) -> [UInt8]? {
    var output: [UInt8] = []
    let isValid = bytes.withUnsafeBytes { input in
      stream.process(input) { output.append(contentsOf: $0) }
    }
    return isValid ? output : nil
  }

  @Test("data passes both ways whole, also if it fills pieces of 16 KiB to the last byte")
  func lengths() throws {
    let deflater = try #require(DeflateStream(compressing: true, windowBits: 15))
    let inflater = try #require(DeflateStream(compressing: false, windowBits: 15))
    var state: UInt64 = 1
    // Data that cannot be compressed: some of the lengths make the compressed data fill a piece.
    let bytes = (0..<32_768).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    for count in [0, 1, 32_768] + Array(16_350...16_386) {
      deflater.reset()
      let compressed = try #require(process(Array(bytes.prefix(count)), with: deflater), "\(count)")
      #expect(compressed.suffix(4).elementsEqual(DeflateStream.end), "\(count)")
      let isWhole = process(compressed, with: inflater) == Array(bytes.prefix(count))
      #expect(isWhole, "\(count)")
    }
  }

  @Test("no data is valid, before and after other data")
  func nothing() throws {
    let inflater = try #require(DeflateStream(compressing: false, windowBits: 15))
    // "Hello", from RFC 7692, section 7.2.3.1.
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0x00, 0xFF, 0xFF]
    #expect(process([], with: inflater) == [])
    #expect(process(hello, with: inflater) == Array("Hello".utf8))
    #expect(process([], with: inflater) == [])
    #expect(process([0x07], with: inflater) == nil)
  }
}

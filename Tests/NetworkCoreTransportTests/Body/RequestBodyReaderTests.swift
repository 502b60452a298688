import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The reader of a request's body")
struct RequestBodyReaderTests {
  /// Provides five bytes, and reports their end only at the second attempt.
  private final class HesitantReader: BodyReader {
    private var rest = Array("12345".utf8)
    private var hasHesitated = false

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      if rest.isEmpty, !hasHesitated {
        hasHesitated = true
        return nil
      }
      let piece = Array(rest.prefix(buffer.count))
      buffer.copyBytes(from: piece)
      rest.removeFirst(piece.count)
      return piece.count
    }
  }

  private func reader(_ body: TransportRequest.Body) throws -> RequestBodyReader {
    try TransportRequest(method: .put, url: "http://h/", body: body).bodyReader {}
  }

  private func hesitantReader(isRepeatable: Bool) throws -> RequestBodyReader {
    let content = BodyStream.Content(length: 5) { _ in HesitantReader() }
    return try reader(.stream(BodyStream(content, isRepeatable: isRepeatable)))
  }

  /// Returns the next bytes, at most `count`; `nil` if none are available yet.
  private func read(_ count: Int, of reader: inout RequestBodyReader) throws -> String? {
    var buffer = [UInt8](repeating: 0, count: count)
    let result = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    return result.map { String(decoding: buffer.prefix($0), as: UTF8.self) }
  }

  private func read(_ counts: [Int], of reader: inout RequestBodyReader) throws -> [String?] {
    var pieces: [String?] = []
    for count in counts { pieces.append(try read(count, of: &reader)) }
    return pieces
  }

  @Test("bytes that wait for the confirmed end are delivered whole, also into smaller buffers")
  func smallerBuffers() throws {
    var reader = try hesitantReader(isRepeatable: true)
    let pieces = try read([8, 2, 2, 2, 2], of: &reader)
    #expect(pieces == [nil, "12", "34", "5", ""])
  }

  @Test("a body that starts again forgets the bytes that waited for the confirmed end")
  func startsAgain() throws {
    var reader = try hesitantReader(isRepeatable: true)
    let first = try read([8], of: &reader)
    try reader.seek(to: 0)
    let pieces = try read([8, 8, 8], of: &reader)
    #expect(first == [nil])
    #expect(pieces == [nil, "12345", ""])
  }

  @Test("a stream that can be read only once does not start again after its last bytes, delivered or not")
  func onlyOnce() throws {
    for counts in [[8], [8, 8], [8, 8, 8]] {
      var reader = try hesitantReader(isRepeatable: false)
      _ = try read(counts, of: &reader)
      #expect(throws: TransferError.cannotRepeatBody(url: "http://h/")) { try reader.seek(to: 0) }
    }
  }

  @Test("a part of larger data is sent from the part's beginning, or from any other position in it")
  func slice() throws {
    let data = Data("0123456".utf8).dropFirst().prefix(5)
    var reader = try reader(.data(data))
    #expect(reader.length == 5)
    let pieces = try read([2, 2, 2, 2], of: &reader)
    #expect(pieces == ["12", "34", "5", ""])
    try reader.seek(to: 3)
    let end = try read([8], of: &reader)
    #expect(end == ["45"])
    try reader.seek(to: 5)
    let nothing = try read([8], of: &reader)
    #expect(nothing == [""])
    for position in [-1, 6] as [Int64] {
      #expect(throws: TransferError.cannotRepeatBody(url: "http://h/")) { try reader.seek(to: position) }
    }
  }
}

// Property: a compressed body yields the same bytes in whatever pieces it arrives and is decoded; a body that
// has been written in each of the formats, without compression, is the message, and is incomplete without its
// last byte; and a compressed message is what was compressed.
import Foundation
@testable import LoopbackServer
@testable import NetworkCoreCurl
@testable import NetworkCoreTransport

private let codings = [
  "gzip", "deflate", "br", "zstd", "gzip, br", "deflate, gzip", "zstd, zstd", "br, deflate",
]
private let limit = 1 << 18

@Sendable func testCodings(_ input: FuzzInput) throws {
  var input = input
  let (choice, seed) = (input.byte(), input.byte())
  let coding = codings[Int(choice) % codings.count]
  let whole = try decode([input.rest], coding, bufferSize: 8_192)
  let split = try decode(pieces(of: input.bytes, seed: seed), coding, bufferSize: Int(seed) + 1)
  try requireEqual(whole.isInvalid, split.isInvalid, "\(coding) is invalid")
  if whole.isInvalid {
    // How much is delivered before an error depends on the pieces.
    try require(whole.bytes.starts(with: split.bytes) || split.bytes.starts(with: whole.bytes), coding)
  } else {
    try requireEqual(whole.bytes, split.bytes, coding)
    try requireEqual(whole.isWhole, split.isWhole, "\(coding) is complete")
  }
  try checkMessage(input.bytes, seed)
  try checkStored(input.bytes, coding, seed)
}

/// The coding that is named first is applied first.
private func checkStored(_ message: [UInt8], _ coding: String, _ seed: UInt8) throws {
  let body = coding.split(separator: ", ").reduce(message) { StoredCoding.encoded($0, $1) }
  let found = try decode(pieces(of: body, seed: seed), coding, bufferSize: Int(seed) + 1)
  try require(!found.isInvalid && found.isWhole, "\(coding) is not valid, or not complete")
  try requireEqual(found.bytes, message, "the message in \(coding)")
  guard body.count > 1 else { return }
  for other in [body.dropLast(), body + [0x21]] {
    let found = try decode(pieces(of: Array(other), seed: seed), coding, bufferSize: Int(seed) + 1)
    try require(
      found.isInvalid || !found.isWhole, "\(coding) is valid and complete without, or after, its last byte")
  }
}

private func decode(
  _ pieces: [ArraySlice<UInt8>], _ coding: String, bufferSize: Int
) throws -> (bytes: [UInt8], isInvalid: Bool, isWhole: Bool) {
  var head = ResponseHeadBuffer()
  for line in ["HTTP/1.1 200 OK\r\n", "Content-Encoding: \(coding)\r\n", "\r\n"] {
    _ = Array(line.utf8).withUnsafeBytes { head.append($0) }
  }
  let decoder = try BodyDecoder(head)
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: bufferSize)
  for piece in pieces {
    do {
      try Array(piece).withUnsafeBytes { piece in
        var rest = piece
        while true {
          let count = try buffer.withUnsafeMutableBytes { try decoder.decode(&rest, into: $0) }
          bytes += buffer[..<count]
          guard count > 0, bytes.count < limit else { break }
        }
      }
    } catch {
      return (Array(bytes.prefix(limit)), true, false)
    }
    if bytes.count >= limit { return (Array(bytes.prefix(limit)), false, false) }
  }
  return (bytes, false, decoder.isWhole)
}

private func checkMessage(_ message: [UInt8], _ seed: UInt8) throws {
  guard let deflater = DeflateStream(compressing: true, windowBits: 9 + Int(seed) % 7),
    let inflater = DeflateStream(compressing: false, windowBits: 15)
  else { return }
  var compressed: [UInt8] = []
  try require(message.withUnsafeBytes { deflater.process($0) { compressed += $0 } }, "not compressed")
  var found: [UInt8] = []
  for piece in pieces(of: compressed, seed: seed) {
    try require(Array(piece).withUnsafeBytes { inflater.process($0) { found += $0 } }, "not decompressed")
  }
  try requireEqual(found, message, "the message")
  try require(inflater.isAtBoundary, "the message has no end")
  try checkServer(message)
}

/// The server of the tests compresses in C of its own.
private func checkServer(_ message: [UInt8]) throws {
  guard MessageCompression.isAvailable else { return }
  let compressed = MessageCompression.compress(message) ?? []
  try requireEqual(MessageCompression.decompress(compressed), message, "the server's message")
  // Bytes that need not be a message.
  _ = MessageCompression.decompress(message)
}

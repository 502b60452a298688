// Property: the client reads from the lines of a head the fields that LoopbackServer, which shares no code with it,
// reads from them; and what the client does with a response follows the same fields.
import Foundation
@testable import LoopbackServer
@testable import NetworkCoreCurl
@testable import NetworkCoreTransport

@Sendable func testFields(_ input: FuzzInput) throws {
  let text = input.bytes.prefix { $0 != 0 }
  let lines = text.split(separator: 0x0A, omittingEmptySubsequences: true).filter { $0 != [0x0D] }
  let joined = Array(lines.joined(separator: [0x0A]))
  let fields = HTTPHeaders(fieldLines: joined)

  let written = fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
  try requireEqual(HTTPHeaders(fieldLines: written), fields, "fields written again")

  try checkServer(lines, fields)
  try checkBuffer(lines, fields)
}

private func checkServer(_ lines: [ArraySlice<UInt8>], _ fields: HTTPHeaders) throws {
  var head = RequestHead()
  for line in lines {
    let line = line.last == 0x0D ? line.dropLast() : line
    // The client reads bytes that are not UTF-8 as ISO 8859-1.
    guard head.read(fieldLine: line) == nil, String(validating: line, as: UTF8.self) != nil else { return }
  }
  let read = LoopbackServer.Headers(lines: head.fieldLines).map { HTTPHeader(name: $0.name, value: $0.value) }
  try requireEqual(Array(fields), read, "client and server")
}

/// The buffer reads the fields that frame the body, line by line.
private func checkBuffer(_ lines: [ArraySlice<UInt8>], _ fields: HTTPHeaders) throws {
  var buffer = ResponseHeadBuffer()
  var isOver = false
  for line in [ArraySlice("HTTP/1.1 200 OK".utf8)] + lines {
    let whole = Array(line.last == 0x0D ? line.dropLast() : line) + [0x0D, 0x0A]
    // For libcurl, a CR ends the head; and another status line discards the head so far.
    if line.first == 0x0D { return }
    if !isOver, line != ArraySlice("HTTP/1.1 200 OK".utf8), line.hasLowercasedPrefix("http/") { return }
    isOver = whole.withUnsafeBytes { buffer.append($0) } || isOver
  }
  guard buffer.problem == nil, buffer.close(status: 302) else { return }
  let isRedirect = buffer.isRedirect
  let head = ResponseHead(statusCode: 302, url: "http://h/", httpVersion: nil, fieldLines: buffer.take())
  try requireEqual(head.headers, fields, "the fields of the buffer")
  let location = fields.first { $0.name.equalsIgnoringASCIICase("Location") && !$0.value.isEmpty }?.value
  try requireEqual(location == nil, head.redirectTarget == nil, "a head without a target")
  try requireEqual(isRedirect, head.redirectTarget != nil, "a redirect for the buffer, and for the follower")
  if let target = head.redirectTarget, target.utf8.allSatisfy({ $0 != UInt8(ascii: "%") }) {
    try requireEqual(target, location, "Location")
  }
  let isCoded = fields["Transfer-Encoding"] != nil
  let lengths = fields.filter { $0.name.equalsIgnoringASCIICase("Content-Length") }.flatMap {
    $0.value.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0.trimmed) }
  }
  try require(Set(lengths).count <= 1 && !lengths.contains(nil), "lengths \(lengths) without a problem")
  try requireEqual(buffer.bodyLength, isCoded ? nil : lengths.first ?? nil, "length")
}

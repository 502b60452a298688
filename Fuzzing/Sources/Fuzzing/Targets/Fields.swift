// Property: the client reads from the lines of a head the fields that a plain reader finds, and
// LoopbackServer, which shares no code with it; what the client does with a response follows the same fields;
// and a list of fields knows them by their names in any case.
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
  try requireEqual(Array(fields), plainFields(lines), "fields and plain fields")
  let head = ResponseHead(statusCode: 200, url: "http://h/", httpVersion: nil, fieldLines: joined)
  let stored = fields.fieldLines(latin1Fields: head.latin1Fields)
  try requireEqual(HTTPHeaders(fieldLines: stored), fields, "fields stored and read again")

  try checkNames(fields)
  try checkServer(lines, fields)
  try checkBuffer(lines, fields)
}

/// Joins continuation lines first, and then reads each field.
private func plainFields(_ lines: [ArraySlice<UInt8>]) -> [HTTPHeader] {
  var groups: [[ArraySlice<UInt8>]] = []
  for line in lines {
    if line.first != 0x20, line.first != 0x09 {
      groups.append([line])
    } else if !groups.isEmpty {
      groups[groups.count - 1].append(line)
    }
  }
  return groups.compactMap { group in
    let parts = group[0].split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    let name = plainText(parts[0])
    guard parts.count == 2, !name.isEmpty else { return nil }
    let values = ([parts[1]] + group.dropFirst()).map(plainText).filter { !$0.isEmpty }
    return HTTPHeader(name: name, value: values.joined(separator: " "))
  }
}

/// A CR counts as a blank, and bytes that are not UTF-8 are ISO 8859-1.
private func plainText(_ bytes: ArraySlice<UInt8>) -> String {
  var text = bytes.map { $0 == 0x0D ? 0x20 : $0 }
  while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
  let start = text.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? text.endIndex
  return String(validating: text[start...], as: UTF8.self)
    ?? text[start...].reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
}

private func checkNames(_ fields: HTTPHeaders) throws {
  let keys = fields.map { field in field.name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
  var (kept, places): ([HTTPHeader], [[UInt8]: Int]) = ([], [:])
  for (field, key) in zip(fields, keys) {
    let place = places[key] ?? kept.count
    if place == kept.count { kept.append(field) } else { kept[place] = field }
    places[key] = place
  }
  try requireEqual(Array(HTTPHeaders(Array(fields))), kept, "the last of each name in the place of the first")
  for (field, key) in zip(fields, keys).prefix(4) {
    let own = fields.indices.filter { keys[$0] == key }
    let values = own.map { fields[$0].value }.joined(separator: ", ")
    for name in [field.name, String(decoding: key, as: UTF8.self)] {
      try requireEqual(fields[name], values, "the values of \(name)")
    }
    var changed = fields
    changed.update(name: field.name, value: "new")
    try requireEqual(changed.count, fields.count - own.count + 1, "\(field.name) is updated")
    try requireEqual(changed[own[0]].value, "new", "\(field.name) is updated in its place")
    changed.remove(name: String(decoding: key, as: UTF8.self))
    try requireEqual(changed.count, fields.count - own.count, "\(field.name) is removed")
  }
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
  let line = lines.first { $0.hasLowercasedPrefix("location:") && !plainText($0.dropFirst(9)).isEmpty }
  if let line, String(validating: line, as: UTF8.self) == nil {
    let target = line.dropFirst(9).trimmed.reduce(into: "") { text, byte in
      text += byte < 0x80 ? String(Unicode.Scalar(byte)) : percentEncoded(byte)
    }
    try requireEqual(head.redirectTarget, target, "Location in ISO 8859-1")
  } else {
    try requireEqual(head.redirectTarget, location, "Location")
  }
  let isCoded = fields["Transfer-Encoding"] != nil
  let lengths = fields.filter { $0.name.equalsIgnoringASCIICase("Content-Length") }.flatMap {
    $0.value.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0.trimmed) }
  }
  try require(Set(lengths).count <= 1 && !lengths.contains(nil), "lengths \(lengths) without a problem")
  try requireEqual(buffer.bodyLength, isCoded ? nil : lengths.first ?? nil, "length")
}

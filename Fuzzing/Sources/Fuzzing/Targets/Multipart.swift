// Property: a plain reader of multipart bodies (RFC 2046) finds the parts that were written, in their order,
// and the boundary in the Content-Type; and a form is refused only if a text of it would break a line, or the
// boundary is not valid.
import Foundation
@testable import NetworkCore
@testable import NetworkCoreTransport

@Sendable func testMultipart(_ input: FuzzInput) throws {
  var input = input
  let size = Int(input.byte()) + 1
  let boundary = input.line()
  let delimiter = "--" + boundary
  var parts: [MultipartFormBodyPart] = []
  var expected: [PlainPart] = []
  var breaksLine = false
  while !input.rest.isEmpty {
    let (name, file, type) = (input.line(), input.line(), input.line())
    // The content may contain line feeds, so it ends at a NUL.
    let content = Data(input.rest.prefix { $0 != 0 })
    for _ in 0...content.count { _ = input.byte() }
    breaksLine =
      breaksLine || name.utf8.contains { $0 == 0 || $0 == 0x0D } || file.utf8.contains(0)
      || type.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    guard content.firstRange(of: Data(delimiter.utf8)) == nil else { return }
    guard Data((name + file + type).utf8).firstRange(of: Data(delimiter.utf8)) == nil else { return }
    parts.append(
      MultipartFormBodyPart(
        provider: .data(content), name: name, fileName: file.isEmpty ? nil : file,
        mimeType: type.isEmpty ? nil : type))
    expected.append(
      PlainPart(
        disposition: "Content-Disposition: form-data; name=\"\(escaped(name))\""
          + (file.isEmpty ? "" : "; filename=\"\(escaped(file))\""),
        type: type.isEmpty ? nil : "Content-Type: \(type)", content: content))
  }
  let form = MultipartFormData(boundary: boundary, parts: parts)
  let isValid = !parts.isEmpty && !breaksLine && isBoundary(boundary)
  guard let stream = try? form.body(for: .post) else {
    return try require(!isValid, "a form is refused")
  }
  try require(isValid, "a form is not refused")
  try require((try? form.body(for: .get)) == nil, "GET has a body")
  try requireEqual(form.contentLength, UInt64(expected.reduce(0) { $0 + $1.content.count }), "length")
  try checkType(form.contentType, boundary)
  let body = try read(stream, size)
  try requireEqual(try PlainPart.parts(of: body, delimiter: delimiter), expected, "\(body)")
}

private func isBoundary(_ text: String) -> Bool {
  let characters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'()+_,-./:=? "
  return (1...70).contains(text.utf8.count) && text.utf8.allSatisfy(characters.utf8.contains)
    && text.utf8.last != 0x20
}

private func checkType(_ type: String, _ boundary: String) throws {
  let start = "multipart/form-data; boundary="
  let value = type.dropFirst(start.count)
  let isToken = boundary.utf8.allSatisfy { !"()<>@,;:\\\"/[]?= ".utf8.contains($0) }
  try require(type.hasPrefix(start), type)
  try require(value == "\"\(boundary)\"" || isToken && value == boundary, type)
}

private func escaped(_ text: String) -> String {
  let escapes: [UInt8: String] = [UInt8(ascii: "\""): "%22", 0x0D: "%0D"]
  return String(decoding: text.utf8.flatMap { escapes[$0].map { Array($0.utf8) } ?? [$0] }, as: UTF8.self)
}

private func read(_ stream: BodyStream, _ size: Int) throws -> Data {
  var request = TransportRequest(method: .post, url: "http://h/")
  request.body = .stream(stream)
  var reader = try RequestBodyReader(request, onBytesAvailable: {})
  var body = Data()
  var buffer = [UInt8](repeating: 0, count: size)
  while let count = try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
    body.append(contentsOf: buffer[..<count])
  }
  try requireEqual(reader.length, Int64(body.count), "the announced length")
  return body
}

private struct PlainPart: Equatable {
  let disposition: String
  let type: String?
  let content: Data

  static func parts(of body: Data, delimiter: String) throws -> [PlainPart] {
    var parts: [PlainPart] = []
    var rest = Data("\r\n".utf8) + body
    let mark = Data("\r\n\(delimiter)".utf8)
    while true {
      guard rest.starts(with: mark) else { throw Violation(description: "no delimiter") }
      rest = Data(rest.dropFirst(mark.count))
      if rest.elementsEqual("--\r\n".utf8) { return parts }
      guard rest.starts(with: "\r\n".utf8), let head = rest.firstRange(of: Data("\r\n\r\n".utf8)),
        let end = rest[head.upperBound...].firstRange(of: mark)
      else { throw Violation(description: "the part has no end") }
      let lines = String(decoding: rest[2..<head.lowerBound], as: UTF8.self)
        .split(separator: "\r\n", omittingEmptySubsequences: false)
      parts.append(
        PlainPart(
          disposition: String(lines[0]), type: lines.count > 1 ? String(lines[1]) : nil,
          content: Data(rest[head.upperBound..<end.lowerBound])))
      rest = Data(rest[end.lowerBound...])
    }
  }
}

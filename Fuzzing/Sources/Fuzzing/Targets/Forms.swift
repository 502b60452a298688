// Property: LoopbackServer, which shares no code with the encoders, reads from a form the texts that were
// written; and the text of a form is, byte for byte, what a plain writer makes of it.
import Foundation
@testable import LoopbackServer
import NetworkCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Sendable func testForms(_ input: FuzzInput) throws {
  var input = input
  let choice = input.byte()
  let lines = input.lines()
  var texts: [String: String] = [:]
  for index in lines.indices where index % 2 == 0 {
    texts[lines[index]] = index + 1 < lines.count ? lines[index + 1] : ""
  }
  guard let url = URL(string: "http://h/path?x=y") else { return }
  var written = URLRequest(url: url)
  written.httpMethod = "POST"
  let encoder = URLEncodedFormEncoder(
    alphabetizeKeyValuePairs: choice & 1 == 0,
    spaceEncoding: choice & 2 == 0 ? .percentEscaped : .plusReplaced)
  let bodies = [
    try encoder.encode(texts), try URLEncoding.httpBody.encode(written, with: texts).httpBody ?? Data(),
  ]
  for body in bodies {
    try requireEqual(read(form: body, target: "/"), texts, String(decoding: body, as: UTF8.self))
  }
  let space = choice & 2 == 0 ? "%20" : "+"
  if choice & 1 == 0 {
    let pairs = texts.map { "\(escaped($0.key, space))=\(escaped($0.value, space))" }.sorted()
    try requireEqual(bodies[0], Data(pairs.joined(separator: "&").utf8), "the sorted form")
  }
  let sorted = texts.sorted { $0.key < $1.key }.map {
    "\(escaped($0.key, "%20"))=\(escaped($0.value, "%20"))"
  }
  try requireEqual(bodies[1], Data(sorted.joined(separator: "&").utf8), "the parameters")
  try checkNested(lines, encoder, isSorted: choice & 1 == 0, space: space)

  let query = try URLEncoding.queryString.encode(written, with: texts).url?.query(percentEncoded: true) ?? ""
  let request = LoopbackServer.Request(
    method: "GET", target: "/?\(query)", headers: .init(lines: []), connection: 1, indexOnConnection: 0)
  var pairs = request.query[...]
  try require(pairs.popFirst() ?? ("", "") == ("x", "y"), "the query before is lost in \(query)")
  try requireEqual(Dictionary(pairs.map { ($0.name, $0.value) }) { $1 }, texts, query)
}

private func read(form body: Data, target: String) -> [String: String] {
  var request = LoopbackServer.Request(
    method: "POST", target: target, headers: .init(lines: []), connection: 1, indexOnConnection: 0)
  request.body = body
  return Dictionary(request.form.map { ($0.name, $0.value) }) { $1 }
}

/// A value with an array, an object, a boolean and nothing.
private struct Nested: Encodable {
  var list: [String]
  var map: [String: String]
  var flag: Bool
  var none: Int?
}

private func checkNested(
  _ lines: [String], _ encoder: URLEncodedFormEncoder, isSorted: Bool, space: String
) throws {
  let (list, key) = (Array(lines.prefix(3)), lines.last ?? "")
  let nested = Nested(list: list, map: [key: key], flag: list.count == 1)
  let flag = "flag=\(list.count == 1 ? 1 : 0)"
  func written(_ space: String) -> (list: [String], map: String) {
    (
      list.map { "list%5B%5D=\(escaped($0, space))" },
      "map%5B\(escaped(key, space))%5D=\(escaped(key, space))"
    )
  }
  let (elements, map) = written(space)
  let parts = [(isSorted ? elements.sorted() : elements).joined(separator: "&"), map, flag].filter {
    !$0.isEmpty
  }
  let expected = (isSorted ? parts.sorted() : parts).joined(separator: "&")
  let text: String = try encoder.encode(nested)
  try requireEqual(text, expected, "a nested form")

  guard let url = URL(string: "http://h/") else { return }
  let parameters: [String: any Sendable] = ["map": [key: key], "list": list, "flag": list.count == 1]
  let plain = written("%20")
  let query = ([flag] + plain.list + [plain.map]).joined(separator: "&")
  let request = try URLEncoding.queryString.encode(URLRequest(url: url), with: parameters)
  try requireEqual(request.url?.absoluteString, "http://h/?\(query)", "nested parameters")
}

private func escaped(_ text: String, _ space: String) -> String {
  let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~?/".utf8
  return text.utf8.map { byte in
    if byte == 0x20 { return space }
    if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
  }.joined()
}

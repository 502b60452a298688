// Property: LoopbackServer, which shares no code with the encoders, reads from a form the texts that were written.
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

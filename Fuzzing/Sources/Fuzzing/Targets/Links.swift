// Property: links that are written as RFC 8288 says are read again, whatever their titles are and whatever is
// before them; and no text yields a link that is neither http nor https.
import Foundation
@testable import NetworkCore
import NetworkCoreTransport

@Sendable func testLinks(_ input: FuzzInput) throws {
  var input = input
  for link in links(input.text).values {
    try require(["http", "https"].contains(link.scheme?.lowercased()), "\(link)")
  }
  var written: [String] = []
  var expected: [String: String] = [:]
  while !input.rest.isEmpty {
    let (relation, title) = (input.line(), input.line())
    guard !relation.isEmpty, relation.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
    else { return }
    let escaped = title.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
      text.unicodeScalars.append(scalar)
    }
    written.append("</\(written.count)>; title=\"\(escaped)\"; rel=\"\(relation)\"")
    for name in relation.lowercased().split(separator: " ") where expected[String(name)] == nil {
      expected[String(name)] = "http://h/\(written.count - 1)"
    }
  }
  let found = links(written.joined(separator: " , ")).mapValues(\.absoluteString)
  try requireEqual(found, expected, written.joined(separator: ", "))
}

private func links(_ value: String) -> [String: URL] {
  Response(
    head: ResponseHead(statusCode: 200, url: "http://h/a/b?c", headers: ["Link": value]), data: Data(),
    request: nil, metrics: nil
  ).links
}

// Property: links that are written in any of the forms of RFC 8288 are read again, whatever their titles are
// and whatever is before them, in one field or several; those about another resource are not; of several with
// one relation, the first counts; and no text yields a link that is neither http nor https.
import Foundation
@testable import NetworkCore
import NetworkCoreTransport

@Sendable func testLinks(_ input: FuzzInput) throws {
  var input = input
  for link in links([input.text]).values {
    try require(["http", "https"].contains(link.scheme?.lowercased()), "\(link)")
  }
  var written: [String] = []
  var expected: [String: String] = [:]
  while !input.rest.isEmpty {
    let (relation, title) = (input.line(), input.line())
    guard relation.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }),
      relation.contains(where: { $0 != " " })
    else { return }
    let escaped = title.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
      text.unicodeScalars.append(scalar)
    }
    let (link, url) = link(written.count, relation, title: escaped)
    written.append(link)
    guard let url else { continue }
    for name in relation.lowercased().split(separator: " ") where expected[String(name)] == nil {
      expected[String(name)] = url
    }
  }
  let separators = [",", " , ", ",\t", ", ,"]
  let separator = separators[written.count % separators.count]
  for values in [[written.joined(separator: separator)], written] {
    try requireEqual(links(values).mapValues(\.absoluteString), expected, values.joined(separator: "\n"))
  }
}

/// The anchors that name the resource `http://h/a/b?c` itself, and those that name another one.
private let (own, others) = (
  ["", "?c", "b?c", "/a/b?c", "HTTP://H:80/a/b?c"],
  ["#x", "/a/b", "?d", "http://h2/a/b?c", "https://h/a/b?c"]
)

/// Returns a link in one of several forms, and its URL; `nil` if it does not count.
private func link(_ number: Int, _ relation: String, title: String) -> (link: String, url: String?) {
  let quoted = "\"\(relation)\""
  // A semicolon or a comma would end a token.
  let isToken = !relation.utf8.contains { ";, ".utf8.contains($0) }
  switch number % 6 {
  case 0: return ("</\(number)>; title=\"\(title)\"; rel=\(quoted)", "http://h/\(number)")
  case 1:
    let token = isToken ? relation : quoted
    return ("<//h2/\(number)>;REL=\(token);title=\"\(title)\"", "http://h2/\(number)")
  case 2:
    let second = "rel=\"second\(number)\""
    return (
      "<?\(number)> ; title = \"\(title)\" ; Rel = \(quoted) ;\(second)", "http://h/a/b?\(number)"
    )
  case 3:
    let anchor = own[number / 6 % own.count]
    return ("<\(number)>;anchor=\"\(anchor)\";x;rel=\(quoted)", "http://h/a/\(number)")
  case 4:
    let anchor = others[number / 6 % others.count]
    return ("</\(number)>; rel=\(quoted); title*=x; anchor=\"\(anchor)\"", nil)
  default: return ("<ftp://h/\(number)>; rel=\(quoted); title=\"\(title)\"", nil)
  }
}

private func links(_ values: [String]) -> [String: URL] {
  let fields = values.map { HTTPHeader(name: "Link", value: $0) }
  return Response(
    head: ResponseHead(statusCode: 200, url: "http://h/a/b?c", headers: HTTPHeaders(received: fields)),
    data: Data(), request: nil, metrics: nil
  ).links
}

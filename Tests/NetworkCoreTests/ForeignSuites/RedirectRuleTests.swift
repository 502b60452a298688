import Foundation
import NetworkCore
import Testing

@Suite("The rules of redirects")
struct RedirectRuleTests {
  /// A request, the redirect that answers it, and the next request.
  struct Rule: Decodable, Sendable {
    /// `nil` for `GET`.
    let method: String?
    let url: String?
    /// Whether the request has a body.
    let body: Bool?
    /// The lines of the request's head.
    let fields: [String]?
    let status: Int?
    let location: String?
    /// The number of earlier redirects.
    let after: Int?
    /// Whether the redirect is an error.
    let refused: Bool?
    /// The method of the next request if it differs; it has no body then.
    let next: String?
    /// The fields that the next request does not have.
    let removed: [String]?
    let to: String?
  }

  @Test("the file is complete")
  func file() throws { try ForeignSuite<Rule>.check("redirects", count: 73) }

  @Test("the next request of each case", arguments: ForeignSuite<Rule>.cases(of: "redirects"))
  func rules(_ rule: ForeignSuite<Rule>.Case) {
    let content = rule.content
    let fields = (content.fields ?? []).map { line in
      let halves = line.split(separator: ":", maxSplits: 1)
      return HTTPHeader(
        name: String(halves[0]), value: halves[1].trimmingCharacters(in: .whitespaces))
    }
    let request = TransportRequest(
      method: HTTPMethod(rawValue: content.method ?? "GET"), url: content.url ?? "http://h/a",
      headers: HTTPHeaders(fields), body: content.body == true ? .data(Data("a".utf8)) : .none)
    let next: TransportRequest
    do {
      next = try request.redirected(
        status: content.status ?? 302, to: content.location ?? "/b", after: content.after ?? 0)
    } catch {
      return rule.expect(content.refused == true, "\(error)")
    }
    var expected = request
    if let method = content.next { (expected.method, expected.body) = (HTTPMethod(rawValue: method), .none) }
    for name in content.removed ?? [] { expected.headers.remove(name: name) }
    expected.url = content.to ?? (content.location?.contains("/") == true ? next.url : "http://h/b")
    rule.expect(content.refused != true && next == expected, "\(next.method) \(next.url) \(next.headers)")
  }
}

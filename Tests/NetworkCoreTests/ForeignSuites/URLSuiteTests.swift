import NetworkCore
import Testing

@Suite("The URL cases of web-platform-tests")
struct URLSuiteTests {
  struct Reference: Decodable, Sendable {
    /// A URL, or a reference that is relative to `base`.
    let input: String
    let base: String?
    /// The URL to which the reference leads; `nil` if it is not valid.
    let href: String?
  }

  @Test("the file is complete")
  func file() throws { try ForeignSuite<Reference>.check("urls", count: 399) }

  @Test(
    "a redirect to each reference leads to the same origin and target, or is refused",
    arguments: ForeignSuite<Reference>.cases(of: "urls"))
  func redirects(_ reference: ForeignSuite<Reference>.Case) {
    let request = TransportRequest(url: reference.content.base ?? "http://base.example/")
    let found = try? request.redirected(status: 302, to: reference.content.input).url
    reference.expect(
      found.flatMap(sent) == reference.content.href.flatMap(sent),
      "\(found.flatMap(sent) ?? "a refusal")")
  }

  /// Returns what a server sees of a URL: its origin, and the target of the request.
  private func sent(_ url: String) -> String? {
    guard let origin = Origin(url: url), let (_, authority) = Origin.authority(of: url) else { return nil }
    let target = Substring(url.utf8[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") })
    return "\(origin.text)\(target.hasPrefix("/") ? "" : "/")\(target)"
  }
}

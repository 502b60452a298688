import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The URL of a target")
struct TargetURLTests {
  private struct PathTarget: TargetType {
    var baseURL: URL
    var path: String
  }

  @Test("matches the vectors", arguments: TestVector.rows(of: "url_building"))
  func row(_ vector: TestVector) throws {
    let base = try #require(vector.input.baseURL.string.flatMap(URL.init(string:)))
    let target = PathTarget(baseURL: base, path: try #require(vector.input.path.string))
    #expect(URL(target: target).absoluteString == vector.expected.string)
  }

  /// Paths and bases for which the fast path could give another result than Foundation.
  private static let bases = [
    "https://api.github.com", "http://h/", "http://h//", "http://h/api/v1", "http://h/api/v1/",
    "http://h?q=1",
    "http://h/x?q=1#f", "http://u:p@h:8080/a%20b", "http://h/#f", "http://[::1]/x/",
  ]
  private static let paths = [
    "zen", "/zen", "//zen", "zen/", "/a/b/", "/", "//", ".", "..", "../x", "a//b", "a%20b", "a b", "日本",
    "a?b", "a#b",
    "a;b+c&d=e,f", "a:b", "@!$'()*[]", "~a_b-c", "|^`\"<>\\{}", "a\u{0}b", "é",
  ]

  @Test("equals the result of appendingPathComponent", arguments: bases, paths)
  func foundation(base: String, path: String) throws {
    let url = try #require(URL(string: base))
    let built = URL(target: PathTarget(baseURL: url, path: path))
    #expect(built.absoluteString == url.appendingPathComponent(path).absoluteString)
  }

  @Test("is resolved against the base URL of the base")
  func relativeBase() {
    let base = URL(string: "v1", relativeTo: URL(staticString: "http://h/api/"))
    #expect(
      URL(target: PathTarget(baseURL: base ?? URL(staticString: "x:"), path: "zen")).absoluteString
        == "http://h/api/v1/zen")
  }

  @Test("may be complete, so that a query is not escaped")
  func whole() {
    struct NextPage: TargetType {
      let url: URL
      var baseURL: URL { url }
      var path: String { "" }
    }
    let link = URL(staticString: "https://api.github.com/users?page=2")
    #expect(NetworkProvider<NextPage>().endpoint(NextPage(url: link)).url == link.absoluteString)
  }

  @Test("a target needs only a base and a path")
  func defaults() {
    let target = PathTarget(baseURL: URL(staticString: "http://h"), path: "/x")
    #expect(target.method == .get)
    #expect(target.headers == nil)
    #expect(target.sampleData.isEmpty)
    #expect(target.validationType == .none)
    guard case .requestPlain = target.task else {
      Issue.record("\(target.task)")
      return
    }
  }
}

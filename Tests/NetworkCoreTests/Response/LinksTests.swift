import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Links of a response")
struct LinksTests {
  private func links(_ field: String) throws -> [String: String] {
    let url = try #require(URL(string: "http://h/a/b?page=2"))
    let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["link": field])
    let response = Response(statusCode: 200, data: Data(), request: URLRequest(url: url), response: head)
    return response.links.mapValues(\.absoluteString)
  }

  @Test(
    "are parsed as RFC 8288 specifies",
    arguments: [
      (#"<http://x/3>; rel="next""#, ["next": "http://x/3"]),
      (#"<http://x/3>;rel=next,<http://x/9>; rel=last"#, ["next": "http://x/3", "last": "http://x/9"]),
      (
        #"<?page=3>; title="a; rel=no, \"<b>\""; REL="Next prev""#,
        ["next": "http://h/a/b?page=3", "prev": "http://h/a/b?page=3"]
      ),
      (#"</c>; rel=next; rel=last, </d>; rel=next"#, ["next": "http://h/c"]),
      (#"</c>; rel=""; rel=next, </d>; rel=up"#, ["up": "http://h/d"]),
      ("<http+unix://%2Frun%2Fdocker.sock/info>; rel=next, </c>; rel=up", ["up": "http://h/c"]),
      ("<file:///etc/passwd>; rel=next, <HTTPS://x/>; rel=up, <ftp://x/>; rel=last", ["up": "HTTPS://x/"]),
      ("</c>", [:]), ("", [:]), ("<", [:]), ("<>; rel", [:]), ("; rel=next", [:]),
      (#"</c>; rel="next"#, ["next": "http://h/c"]),
      (
        "</c>; title=\"\u{301}; rel=no\"; rel=next,\u{301} </d>; rel=up",
        ["next": "http://h/c", "up": "http://h/d"]
      ),
      (##"</c>; rel=next; anchor="/other", </d>; rel=up; anchor="#part""##, [:]),
      (
        #"</c>; anchor="http://h/a/b?page=2"; rel=next, </d>; rel=up; anchor="""#,
        ["next": "http://h/c", "up": "http://h/d"]
      ),
      (
        #"</c>; anchor="HTTP://H:80/a/b?page=2"; rel=next, </d>; anchor="https://h/a/b?page=2"; rel=up"#,
        ["next": "http://h/c"]
      ),
      (
        #"</c>; anchor="/x"; anchor="/a/b?page=2"; rel=next, </d>; anchor="/a/b?page=2"; anchor="/x"; rel=up"#,
        ["up": "http://h/d"]
      ),
      (#"</c>; rel=next; ;; x=;=y, </d> ; rel = "last""#, ["next": "http://h/c", "last": "http://h/d"]),
    ])
  func reading(field: String, expected: [String: String]) throws {
    #expect(try links(field) == expected)
  }

  @Test("of several fields are all read, in order")
  func severalFields() async throws {
    let fields = ["</b>; rel=next", "</c>; rel=next, </d>; rel=prev"].map {
      HTTPHeader(name: "Link", value: $0)
    }
    let transport = ScriptedTransport { $0.respond(headers: HTTPHeaders(received: fields)) }
    let target = LoopbackTarget(URL(staticString: "http://h"))
    let response = try await NetworkProvider<LoopbackTarget>(transport: transport).result(target).get()
    #expect(response.links.mapValues(\.absoluteString) == ["next": "http://h/b", "prev": "http://h/d"])
  }

  @Test("the fragment of the request does not make a link one about another resource")
  func fragment() throws {
    let url = try #require(URL(string: "http://h/a#top"))
    let field = ##"</c>; rel=next; anchor="/a", </d>; rel=up; anchor="#top""##
    let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Link": field])
    let response = Response(statusCode: 200, data: Data(), request: URLRequest(url: url), response: head)
    #expect(response.links.mapValues(\.absoluteString) == ["next": "http://h/c"])
  }

  @Test("of a response from a socket are ignored, unless they lead to a server")
  func socket() throws {
    let url = try #require(URL(string: "http+unix://%2Frun%2Fdocker.sock/a"))
    let head = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: nil,
      headerFields: ["Link": "</b>; rel=next, <https://x/>; rel=up"])
    let response = Response(statusCode: 200, data: Data(), request: URLRequest(url: url), response: head)
    #expect(response.links.mapValues(\.absoluteString) == ["up": "https://x/"])
  }
}

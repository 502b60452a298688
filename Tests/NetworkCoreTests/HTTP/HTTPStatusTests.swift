import Foundation
import NetworkCore
import Testing

@Suite("HTTPStatus")
struct HTTPStatusTests {
  @Test("knows the registered words")
  func phrases() {
    #expect(HTTPStatus.notFound.code == 404)
    #expect(HTTPStatus(429).reasonPhrase == "Too Many Requests")
    #expect(HTTPStatus.ok.description == "200 OK")
    #expect(HTTPStatus(299).description == "299")
    #expect(HTTPStatus.uriTooLong.reasonPhrase == "URI Too Long")
    #expect((100..<600).count { !HTTPStatus($0).reasonPhrase.isEmpty } == 60)
  }

  @Test(
    "the first digit says what it is about",
    arguments: [
      (99, nil), (100, .informational), (204, .success), (307, .redirection), (499, .clientError),
      (599, .serverError), (600, nil), (-200, nil),
    ] as [(HTTPStatus, HTTPStatus.Category?)])
  func category(status: HTTPStatus, category: HTTPStatus.Category?) {
    #expect(status.category == category)
  }

  @Test("a response has one")
  func response() {
    #expect(Response(statusCode: 418, data: Data()).status == 418)
  }
}

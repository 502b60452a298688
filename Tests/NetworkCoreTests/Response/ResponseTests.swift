import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A response")
struct ResponseTests {
  private let url = URL(staticString: "http://h/x")

  @Test("is described by its status code and length")
  func description() {
    let response = Response(statusCode: 404, data: Data("gone".utf8))
    #expect(response.description == "Status Code: 404, Data Length: 4")
    #expect(response.debugDescription == response.description)
  }

  @Test("is equal if status code, body and head are equal, whatever the request")
  func equality() {
    let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["A": "b"])
    let response = Response(statusCode: 200, data: Data("x".utf8), response: head)
    #expect(
      response
        == Response(statusCode: 200, data: Data("x".utf8), request: URLRequest(url: url), response: head))
    #expect(response != Response(statusCode: 201, data: Data("x".utf8), response: head))
    #expect(response != Response(statusCode: 200, data: Data("y".utf8), response: head))
    #expect(response != Response(statusCode: 200, data: Data("x".utf8)))
  }

  @Test("returns the header fields of an HTTPURLResponse")
  func headers() {
    let head = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/plain"])
    #expect(Response(statusCode: 200, data: Data(), response: head).headers["content-type"] == "text/plain")
    #expect(Response(statusCode: 200, data: Data()).headers.isEmpty)
    #expect(Response(statusCode: 200, data: Data()).response == nil)
  }
}

import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Typed errors of an API")
struct ClientErrorTests {
  private struct Problem: Decodable, Equatable { let message: String }
  private struct Item: Decodable, Equatable { let id: Int }
  private typealias Failure = APIError<Problem>

  private func response(_ code: Int, _ body: String) -> Response {
    Response(statusCode: code, data: Data(body.utf8))
  }

  private func decode(_ code: Int, _ body: String) throws -> Item {
    try response(code, body).decode(Item.self, orClientError: Problem.self)
  }

  @Test("a success decodes")
  func success() throws {
    #expect(try decode(200, #"{"id":1}"#) == Item(id: 1))
    #expect(try decode(299, #"{"id":1}"#) == Item(id: 1))
  }

  @Test(
    "each status has a specific error",
    arguments: [
      (204, "", .noDataInResponse(statusCode: 204)),
      (404, #"{"message":"gone"}"#, .clientError(statusCode: 404, clientError: Problem(message: "gone"))),
      (400, "", .clientError(statusCode: 400, clientError: nil)),
      (499, "[]", .clientError(statusCode: 499, clientError: nil)),
      (503, #"{"message":"x"}"#, .serverError(statusCode: 503)),
      (304, "", .unexpectedStatusCode(statusCode: 304)), (100, "", .unexpectedStatusCode(statusCode: 100)),
      (0, "", .unexpectedStatusCode(statusCode: 0)),
    ] as [(Int, String, Failure)])
  private func failures(code: Int, body: String, expected: Failure) {
    #expect(throws: expected) { _ = try decode(code, body) }
    #expect(expected.statusCode == code)
  }

  @Test("a success that cannot be decoded is an error with the type and the reason")
  func conversion() {
    let error = #expect(throws: Failure.self) { _ = try decode(200, "{}") }
    guard case .responseDataConversionFailed("Item", let cause as DecodingError)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.statusCode == nil)
    #expect(error?.localizedDescription == "The body is not a Item: \(cause)")
  }

  @Test("EmptyBodyResponse and Data accept any body")
  func anyBody() throws {
    for body in ["", "x", #"{"id":1}"#] {
      _ = try response(204, body).decode(EmptyBodyResponse.self, orClientError: Problem.self)
      #expect(try response(200, body).decode(Data.self, orClientError: Problem.self) == Data(body.utf8))
    }
    _ = try JSONDecoder().decode(EmptyBodyResponse.self, from: Data("[1]".utf8))
  }

  @Test("only a response with a 4xx status has a client error")
  func decodeClientError() {
    let body = #"{"message":"x"}"#
    #expect(response(422, body).decodeClientError(as: Problem.self) == Problem(message: "x"))
    #expect(response(200, body).decodeClientError(as: Problem.self) == nil)
    #expect(response(500, body).decodeClientError(as: Problem.self) == nil)
    #expect(response(422, "{}").decodeClientError(as: Problem.self) == nil)
  }

  @Test("the given decoder decodes the client error")
  func givenDecoder() {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let expected = APIError<Date>.clientError(statusCode: 404, clientError: Date(timeIntervalSince1970: 5))
    #expect(throws: expected) {
      _ = try response(404, "5").decode(Int.self, orClientError: Date.self, using: decoder)
    }
  }

  @Test("an error without a usable response has the status of the one that was rejected")
  func statusOfRejectedResponse() {
    let rejection = NetworkError.underlying(URLError(.unknown), response(200, ""))
    #expect(Failure.noResponseReceived(error: rejection).statusCode == 200)
    #expect(Failure.noResponseReceived(error: .cancelled).statusCode == nil)
  }

  @Test("errors describe what happened")
  func descriptions() {
    #expect(
      Failure.clientError(statusCode: 404, clientError: nil).localizedDescription
        == "The server refused the request with status 404 Not Found.")
    #expect(
      Failure.clientError(statusCode: 404, clientError: Problem(message: "x")).localizedDescription
        .contains(": Problem(message: \"x\")"))
    #expect(
      Failure.serverError(statusCode: 500).localizedDescription
        == "The server failed with status 500 Internal Server Error.")
    #expect(
      Failure.noDataInResponse(statusCode: 204).localizedDescription
        == "The response with status 204 No Content has no body.")
    #expect(
      Failure.unexpectedStatusCode(statusCode: 302).localizedDescription
        == "The status 302 Found was not expected.")
    #expect(
      Failure.noResponseReceived(error: .cancelled).localizedDescription
        == NetworkError.cancelled.localizedDescription)
    #expect(Failure.noResponseReceived(error: .cancelled).isCancelled)
    #expect(!Failure.serverError(statusCode: 500).isCancelled)
    #expect(Failure.noResponseReceived(error: .cancelled) != .serverError(statusCode: 500))
  }

  @Test("errors of one case are equal only with equal values")
  func equality() {
    let errors: [Failure] = [
      .noResponseReceived(error: .cancelled), .noResponseReceived(error: .requestMapping("x")),
      .noDataInResponse(statusCode: 204), .noDataInResponse(statusCode: 205),
      .responseDataConversionFailed(type: "A", error: URLError(.unknown)),
      .responseDataConversionFailed(type: "B", error: URLError(.unknown)),
      .responseDataConversionFailed(type: "A", error: URLError(.timedOut)),
      .clientError(statusCode: 400, clientError: nil), .clientError(statusCode: 404, clientError: nil),
      .clientError(statusCode: 400, clientError: Problem(message: "x")),
      .clientError(statusCode: 400, clientError: Problem(message: "y")), .serverError(statusCode: 500),
      .serverError(statusCode: 503), .unexpectedStatusCode(statusCode: 302),
      .unexpectedStatusCode(statusCode: 304),
    ]
    for (index, left) in errors.enumerated() {
      for (other, right) in errors.enumerated() {
        #expect((left == right) == (index == other), "\(left), \(right)")
      }
    }
  }
}

import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Filtering a response by its status code")
struct ResponseFilterTests {
  @Test("accepts responses according to the test vectors", arguments: TestVector.rows(of: "response_filter"))
  func row(_ vector: TestVector) throws {
    let response = Response(statusCode: try #require(vector.input.statusCode.int), data: Data("x".utf8))
    if vector.expected == "pass" {
      let passed = try filter(response, vector.input.filter)
      #expect(passed === response)
    } else {
      #expect(vector.expected.error == "statusCode")
      let error = #expect(throws: NetworkError.self) { try filter(response, vector.input.filter) }
      guard case .statusCode(let refused) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(refused === response)
    }
  }

  private func filter(_ response: Response, _ filter: JSONValue) throws -> Response {
    func bounds(_ name: String) -> (Int, Int)? {
      let bounds = filter[name].array?.compactMap(\.int) ?? []
      return bounds.count == 2 ? (bounds[0], bounds[1]) : nil
    }
    if filter == "successful" { return try response.filterSuccessfulStatusCodes() }
    if filter == "successAndRedirect" { return try response.filterSuccessfulStatusAndRedirectCodes() }
    if let (low, high) = bounds("range") { return try response.filter(statusCodes: low...high) }
    if let (low, high) = bounds("halfOpen") { return try response.filterStatusCodes(low..<high) }
    if let low = filter.from.int { return try response.filter(statusCodes: low...) }
    if let high = filter.upTo.int { return try response.filter(statusCodes: ..<high) }
    return try response.filter(statusCode: #require(filter.code.int))
  }
}

import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The kinds of rows in the vectors of validation.
enum ValidationVectorKind: CaseIterable {
  case validationType
  case contentType
  case mediaType
  case byDefault
  case order

  init?(_ vector: TestVector) {
    if vector.name.hasPrefix("ValidationType") {
      self = .validationType
    } else if vector.input.acceptable.array != nil {
      self = .contentType
    } else if vector.input["string"].string != nil {
      self = .mediaType
    } else if vector.input.Accept.string != nil {
      self = .byDefault
    } else if vector.input.status.int != nil {
      self = .order
    } else {
      return nil
    }
  }

  var vectors: [TestVector] { TestVector.rows(of: "validation") { ValidationVectorKind($0) == self } }
}

@Suite("Validation")
struct ValidationTests {
  private struct ValidatedTarget: TargetType {
    var validationType: ValidationType
    var baseURL: URL { URL(staticString: "http://h") }
    var path: String { "" }
  }

  @Test(
    "the codes of each type match the vectors",
    arguments: ValidationVectorKind.validationType.vectors)
  func row(_ vector: TestVector) throws {
    let types: [String: ValidationType] = [
      "ValidationType.none": .none, "ValidationType.successCodes": .successCodes,
      "ValidationType.customCodes([1,2])": .customCodes([1, 2]),
    ]
    let codes = vector.expected.statusCodes.array?.compactMap(\.int) ?? Array(200..<300)
    #expect(try #require(types[vector.name]).statusCodes == codes)
  }

  @Test("every row of the vectors has a kind with a test")
  func rows() {
    let rows = TestVector.rows(of: "validation")
    #expect(rows.filter { ValidationVectorKind($0) == nil }.map(\.name) == [])
    #expect(ValidationVectorKind.allCases.allSatisfy { !$0.vectors.isEmpty })
  }

  /// A response to a request with an `Accept` field.
  private func answer(_ statusCode: Int, _ type: String, accept: String?) -> Response {
    let url = URL(staticString: "http://h")
    var request = URLRequest(url: url)
    request.setValue(accept, forHTTPHeaderField: "Accept")
    let head = HTTPURLResponse(
      url: url, statusCode: statusCode, httpVersion: nil, headerFields: ["Content-Type": type])
    return Response(statusCode: statusCode, data: Data("x".utf8), request: request, response: head)
  }

  @Test(
    "a response is validated against the media types that its request accepts",
    arguments: ValidationVectorKind.byDefault.vectors)
  func byDefault(_ vector: TestVector) throws {
    let accept = try #require(vector.input.Accept.string)
    for (code, type, accept, isValid) in [
      (200, accept, accept, true), (299, accept, accept, true), (199, accept, accept, false),
      (300, accept, accept, false), (200, "text/plain", accept, false), (200, "text/plain", nil, true),
      (200, "text/plain", "\(accept), text/*;q=0.5", true),
    ] as [(Int, String, String?, Bool)] {
      let answer = answer(code, type, accept: accept)
      #expect(((try? answer.validate()) === answer) == isValid, "\(code) \(type)")
    }
  }

  @Test("the error is that of the first failed check", arguments: ValidationVectorKind.order.vectors)
  func order(_ vector: TestVector) throws {
    let answer = answer(try #require(vector.input.status.int), "bad", accept: "application/json")
    let error = #expect(throws: NetworkError.self) { try answer.validate() }
    guard case .statusCode(answer)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "an unaccepted status code fails the request with the same error on the wire and with stubs",
    arguments: [
      (ValidationType.none, [100, 200, 404], []), (.successCodes, [200, 299], [199, 300, 404]),
      (.successAndRedirectCodes, [200, 399], [199, 400]), (.customCodes([404]), [404], [200]),
      (.customCodes([]), [200, 404], []),
    ])
  func request(type: ValidationType, good: [Int], bad: [Int]) {
    for code in good + bad {
      let expected = good.contains(code) ? "\(code)" : "bad \(code)"
      let wire = CompletionRecorder()
      NetworkProvider<ValidatedTarget>(transport: ScriptedTransport { $0.respond(code) })
        .request(ValidatedTarget(validationType: type), completion: wire.completion)
      #expect(wire.summaries == [expected])

      let stub = CompletionRecorder()
      NetworkProvider<ValidatedTarget>(
        endpointClosure: { target in
          Endpoint(
            url: "http://h", sampleResponseClosure: { .networkResponse(code, Data()) }, method: .get,
            task: target.task, httpHeaderFields: nil)
        }, stubClosure: MoyaProvider.immediatelyStub
      ).request(ValidatedTarget(validationType: type), completion: stub.completion)
      #expect(stub.summaries == [expected])
      #expect(type.statusCodes.isEmpty || type.statusCodes.contains(code) == good.contains(code))
    }
  }
}

import Foundation
import NetworkCore
import Testing

@Suite("Validation")
struct ValidationTests {
  private struct Validated: TargetType {
    var validationType: ValidationType
    var baseURL: URL { URL(staticString: "http://h") }
    var path: String { "" }
  }

  @Test(
    "types list the family's codes",
    arguments: Vector.rows(of: "validation") { $0.name.hasPrefix("ValidationType") })
  func row(_ vector: Vector) throws {
    let types: [String: ValidationType] = [
      "ValidationType.none": .none, "ValidationType.successCodes": .successCodes,
      "ValidationType.customCodes([1,2])": .customCodes([1, 2]),
    ]
    let codes = vector.expected.statusCodes.array?.compactMap(\.int) ?? Array(200..<300)
    #expect(try #require(types[vector.name]).statusCodes == codes)
  }

  @Test(
    "a status code that is not a success fails the request in one shape, on the wire and on stubs",
    arguments: [
      (ValidationType.none, [100, 200, 404], []), (.successCodes, [200, 299], [199, 300, 404]),
      (.successAndRedirectCodes, [200, 399], [199, 400]), (.customCodes([404]), [404], [200]),
      (.customCodes([]), [200, 404], []),
    ])
  func request(type: ValidationType, good: [Int], bad: [Int]) {
    for code in good + bad {
      let expected = good.contains(code) ? "\(code)" : "bad \(code)"
      let wire = Outcome()
      NetworkProvider<Validated>(transport: ScriptedTransport { $0.answer(code) })
        .request(Validated(validationType: type), completion: wire.completion)
      #expect(wire.summaries == [expected])

      let stub = Outcome()
      NetworkProvider<Validated>(
        endpointClosure: { target in
          Endpoint(
            url: "http://h", sampleResponseClosure: { .networkResponse(code, Data()) }, method: .get,
            task: target.task, httpHeaderFields: nil)
        }, stubClosure: MoyaProvider.immediatelyStub
      ).request(Validated(validationType: type), completion: stub.completion)
      #expect(stub.summaries == [expected])
      #expect(type.statusCodes.isEmpty || type.statusCodes.contains(code) == good.contains(code))
    }
  }
}

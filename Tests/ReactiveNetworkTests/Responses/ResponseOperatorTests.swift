import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("Operators on responses")
struct ResponseOperatorTests {
  private struct Song: Codable, Equatable {
    var title: String
  }

  private func response(_ status: Int = 200, _ body: String = "") -> Response {
    Response(statusCode: status, data: Data(body.utf8))
  }

  /// Returns an operator's result for a response, with both kinds of sequence: a value, or the name of the
  /// error.
  private func outcomes<Value>(
    _ response: Response, _ single: (Single<Response>) -> Single<Value>,
    _ observable: (Observable<Response>) -> Observable<Value>
  ) -> [String] {
    var outcomes: [String] = []
    func name(_ error: any Error) -> String { "\(error)".prefix { $0 != "(" }.description }
    _ = single(.just(response)).subscribe(
      onSuccess: { outcomes.append("\($0)") }, onFailure: { outcomes.append(name($0)) })
    _ = observable(.just(response)).subscribe(
      onNext: { outcomes.append("\($0)") }, onError: { outcomes.append(name($0)) })
    return outcomes
  }

  private func twice(_ outcome: String) -> [String] { [outcome, outcome] }

  private func passedResponse(_ status: Int) -> [String] { twice("Status Code: \(status), Data Length: 0") }

  @Test("filter(statusCodes:) and its older name accept any range", arguments: [199, 200, 204, 205, 299])
  func range(status: Int) {
    let answer = response(status)
    let closed = status <= 204 && status >= 200 ? passedResponse(status) : twice("statusCode")
    #expect(
      outcomes(answer, { $0.filter(statusCodes: 200...204) }, { $0.filter(statusCodes: 200...204) }) == closed
    )
    #expect(
      outcomes(answer, { $0.filterStatusCodes(200..<205) }, { $0.filterStatusCodes(200..<205) }) == closed)
    let open = status < 205 ? passedResponse(status) : twice("statusCode")
    #expect(outcomes(answer, { $0.filter(statusCodes: ..<205) }, { $0.filter(statusCodes: ..<205) }) == open)
  }

  @Test("filter(statusCode:) accepts one code", arguments: [200, 201])
  func one(status: Int) {
    #expect(
      outcomes(response(status), { $0.filter(statusCode: 201) }, { $0.filter(statusCode: 201) })
        == (status == 201 ? passedResponse(201) : twice("statusCode")))
  }

  @Test(
    "filterSuccessfulStatusCodes accepts 200 to 299, filterSuccessfulStatusAndRedirectCodes 200 to 399",
    arguments: [199, 200, 299, 300, 399, 400])
  func successful(status: Int) {
    let answer = response(status)
    #expect(
      outcomes(answer, { $0.filterSuccessfulStatusCodes() }, { $0.filterSuccessfulStatusCodes() })
        == (200...299 ~= status ? passedResponse(status) : twice("statusCode")))
    #expect(
      outcomes(
        answer, { $0.filterSuccessfulStatusAndRedirectCodes() },
        { $0.filterSuccessfulStatusAndRedirectCodes() })
        == (200...399 ~= status ? passedResponse(status) : twice("statusCode")))
  }

  @Test("mapJSON parses the body, and an empty body as NSNull if requested")
  func json() {
    #expect(outcomes(response(200, "[1]"), { $0.mapJSON() }, { $0.mapJSON() }) == twice("[1]"))
    #expect(outcomes(response(200, "{"), { $0.mapJSON() }, { $0.mapJSON() }) == twice("jsonMapping"))
    #expect(outcomes(response(200, ""), { $0.mapJSON() }, { $0.mapJSON() }) == twice("jsonMapping"))
    #expect(
      outcomes(
        response(200, ""), { $0.mapJSON(failsOnEmptyData: false) }, { $0.mapJSON(failsOnEmptyData: false) })
        == twice("<null>"))
  }

  @Test("mapString returns the body, or the string at a key path")
  func string() {
    #expect(outcomes(response(200, "plain"), { $0.mapString() }, { $0.mapString() }) == twice("plain"))
    let nested = response(200, #"{"user": {"name": "ash"}}"#)
    #expect(
      outcomes(nested, { $0.mapString(atKeyPath: "user.name") }, { $0.mapString(atKeyPath: "user.name") })
        == twice("ash"))
    #expect(
      outcomes(nested, { $0.mapString(atKeyPath: "user") }, { $0.mapString(atKeyPath: "user") })
        == twice("stringMapping"))
  }

  @Test("map decodes the body, or the value at a key path, with the given decoder")
  func decode() {
    let song = twice("\(Song(title: "Isolation"))")
    let plain = response(200, #"{"title": "Isolation"}"#)
    #expect(outcomes(plain, { $0.map(Song.self) }, { $0.map(Song.self) }) == song)
    let nested = response(200, #"{"a": {"b": {"title": "Isolation"}}}"#)
    #expect(
      outcomes(nested, { $0.map(Song.self, atKeyPath: "a.b") }, { $0.map(Song.self, atKeyPath: "a.b") })
        == song)
    #expect(outcomes(nested, { $0.map(Song.self) }, { $0.map(Song.self) }) == twice("objectMapping"))
    #expect(
      outcomes(nested, { $0.map(Song.self, atKeyPath: "c") }, { $0.map(Song.self, atKeyPath: "c") })
        == twice("jsonMapping"))
    let empty = response(200, "")
    #expect(
      outcomes(
        empty, { $0.map([Song].self, failsOnEmptyData: false) },
        { $0.map([Song].self, failsOnEmptyData: false) }) == twice("[]"))
    let dated = response(200, "5")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    #expect(
      outcomes(dated, { $0.map(Date.self, using: decoder) }, { $0.map(Date.self, using: decoder) })
        == twice("\(Date(timeIntervalSince1970: 5))"))
  }

  @Test("each response of a sequence is checked, and the first bad one ends it")
  func sequence() {
    var log: [String] = []
    _ = Observable.of(response(200, "a"), response(201, "b"), response(404, "c"), response(200, "d"))
      .filterSuccessfulStatusCodes().mapString()
      .subscribe(
        onNext: { log.append($0) },
        onError: { log.append("\(($0 as? NetworkError)?.response?.statusCode ?? 0)") })
    #expect(log == ["a", "b", "404"])
  }
}

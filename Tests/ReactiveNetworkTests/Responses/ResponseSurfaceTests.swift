import Foundation
import NetworkCore
import ReactiveNetwork
import ReactiveSwiftCompatibility
import RxLite
import Testing

/// An operator of responses, as a method of `Response` and in each reactive form.
private struct ResponseOperator: Sendable, CustomTestStringConvertible {
  typealias Operation<Source> = @Sendable (Source) -> Observable<Any>

  /// The beginning of its declaration, up to the first label.
  let declaration: String
  let method: @Sendable (Response) throws -> Any
  let single: Operation<Single<Response>>
  let observable: Operation<Observable<Response>>
  let producer: Operation<SignalProducer<Response, NetworkError>>

  var testDescription: String { declaration }

  /// All operators, in the order in which each form declares them.
  static let all: [ResponseOperator] = [
    ResponseOperator(
      declaration: "filter(statusCodes:", method: { try $0.filter(statusCodes: 200..<210) },
      single: { $0.filter(statusCodes: 200..<210).asObservable().any },
      observable: { $0.filter(statusCodes: 200..<210).any },
      producer: { $0.filter(statusCodes: 200..<210).asObservable().any }),
    ResponseOperator(
      declaration: "filter(statusCode:", method: { try $0.filter(statusCode: 404) },
      single: { $0.filter(statusCode: 404).asObservable().any },
      observable: { $0.filter(statusCode: 404).any },
      producer: { $0.filter(statusCode: 404).asObservable().any }),
    ResponseOperator(
      declaration: "filterSuccessfulStatusCodes(", method: { try $0.filterSuccessfulStatusCodes() },
      single: { $0.filterSuccessfulStatusCodes().asObservable().any },
      observable: { $0.filterSuccessfulStatusCodes().any },
      producer: { $0.filterSuccessfulStatusCodes().asObservable().any }),
    ResponseOperator(
      declaration: "filterSuccessfulStatusAndRedirectCodes(",
      method: { try $0.filterSuccessfulStatusAndRedirectCodes() },
      single: { $0.filterSuccessfulStatusAndRedirectCodes().asObservable().any },
      observable: { $0.filterSuccessfulStatusAndRedirectCodes().any },
      producer: { $0.filterSuccessfulStatusAndRedirectCodes().asObservable().any }),
    ResponseOperator(
      declaration: "mapJSON(failsOnEmptyData:", method: { try $0.mapJSON() },
      single: { $0.mapJSON().asObservable() }, observable: { $0.mapJSON() },
      producer: { $0.mapJSON().asObservable() }),
    ResponseOperator(
      declaration: "mapString(atKeyPath", method: { try $0.mapString() },
      single: { $0.mapString().asObservable().any }, observable: { $0.mapString().any },
      producer: { $0.mapString().asObservable().any }),
    ResponseOperator(
      declaration: "map<D: Decodable>(", method: { try $0.map([Int].self) },
      single: { $0.map([Int].self).asObservable().any }, observable: { $0.map([Int].self).any },
      producer: { $0.map([Int].self).asObservable().any }),
  ]

  /// The same operators with arguments other than the defaults.
  static let withArguments: [ResponseOperator] = [
    ResponseOperator(
      declaration: "mapJSON, an empty body", method: { try $0.mapJSON(failsOnEmptyData: false) },
      single: { $0.mapJSON(failsOnEmptyData: false).asObservable() },
      observable: { $0.mapJSON(failsOnEmptyData: false) },
      producer: { $0.mapJSON(failsOnEmptyData: false).asObservable() }),
    ResponseOperator(
      declaration: "mapString, a key path", method: { try $0.mapString(atKeyPath: "a.b") },
      single: { $0.mapString(atKeyPath: "a.b").asObservable().any },
      observable: { $0.mapString(atKeyPath: "a.b").any },
      producer: { $0.mapString(atKeyPath: "a.b").asObservable().any }),
    ResponseOperator(
      declaration: "map, a key path and an empty body",
      method: { try $0.map([Int].self, atKeyPath: "c", failsOnEmptyData: false) },
      single: { $0.map([Int].self, atKeyPath: "c", failsOnEmptyData: false).asObservable().any },
      observable: { $0.map([Int].self, atKeyPath: "c", failsOnEmptyData: false).any },
      producer: { $0.map([Int].self, atKeyPath: "c", failsOnEmptyData: false).asObservable().any }),
  ]
}

extension Observable {
  fileprivate var any: Observable<Any> { map { $0 as Any } }
}

@Suite("The operators of responses in every form")
struct ResponseSurfaceTests {
  private static let responses = [
    (200, "[1, 2]"), (204, ""), (301, "{\"a\": {\"b\": \"text\"}, \"c\": [3]}"), (404, "[1"),
    (500, "\u{FFFE}"),
  ].map { status, body in Response(statusCode: status, data: Data(body.utf8)) }

  private func text(_ element: Any) -> String {
    if let response = element as? Response { return "response \(response.statusCode)" }
    // The order of the keys is not defined.
    let members = (element as? [String: Any])?.map { "\($0.key): \($0.value)" }
    return members.map { "\($0.sorted())" } ?? "\(element)"
  }

  /// The elements and the error of a sequence that ends while it is subscribed.
  private func result(_ sequence: Observable<Any>) -> [String] {
    var log: [String] = []
    _ = sequence.subscribe(
      onNext: { log.append(self.text($0)) }, onError: { log.append("error \($0)") },
      onCompleted: { log.append("end") })
    return log
  }

  @Test(
    "does what the method of a response does",
    arguments: ResponseOperator.all + ResponseOperator.withArguments)
  fileprivate func behavior(_ name: ResponseOperator) throws {
    for response in Self.responses {
      let expected: [String]
      do { expected = [text(try name.method(response)), "end"] } catch { expected = ["error \(error)"] }
      #expect(result(name.single(.just(response))) == expected)
      #expect(result(name.observable(.just(response))) == expected)
      #expect(result(name.producer(SignalProducer(value: response))) == expected)
    }
  }

  /// Publishers are compiled where there is Combine, so that their declarations are compared as text.
  @Test(
    "each form declares the same operators, with the same parameters and defaults",
    arguments: [
      "ReactiveNetwork/Single+Response", "ReactiveNetwork/Observable+Response",
      "ReactiveNetwork/Combine/Publisher+Response", "ReactiveSwiftCompatibility/SignalProducer+Response",
    ])
  func declarations(file: String) throws {
    let declarations = try operators(in: file)
    #expect(declarations == (try operators(in: "ReactiveNetwork/Single+Response")))
    try #require(declarations.count == ResponseOperator.all.count)
    for (declaration, expected) in zip(declarations, ResponseOperator.all) {
      #expect(declaration.hasPrefix(expected.declaration))
    }
  }

  /// The declarations of operators in a file, without their results.
  private func operators(in file: String) throws -> [String] {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    let text = try String(contentsOf: root.appending(path: "Sources/\(file).swift"), encoding: .utf8)
    return text.components(separatedBy: "public func ").dropFirst()
      .compactMap { $0.components(separatedBy: ") ->").first }
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      // The bridge to OpenCombine, another package, compiles the publishers too, and cannot see `standard`.
      .map { $0.replacing("= JSONDecoder()", with: "= .standard") }
      // An older name, operators of ObjectMapper, and those of progress.
      .filter { name in
        ["filterStatusCodes", "mapObject", "mapArray", "filterCompleted", "filterProgress"]
          .allSatisfy { !name.hasPrefix($0) }
      }
  }
}

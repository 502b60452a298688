import Foundation
import LoopbackServer
import NetworkCore
import Testing

private struct Examples {
  let provider: NetworkProvider<Translator>

  enum Translator: APITargetType {
    struct ClientErrorType: Decodable, Sendable {
      let message: String
    }

    case languages
    case translate([String], to: String)

    var baseURL: URL { URL(string: "https://translator.example")! }

    var path: String {
      switch self {
      case .languages: "languages"
      case .translate: "translate"
      }
    }

    var method: HTTPMethod {
      switch self {
      case .languages: .get
      case .translate: .post
      }
    }

    var queryParameters: [String: QueryParameterValue] {
      switch self {
      case .languages: ["scope": "translation"]
      case .translate(_, let language): ["to": [language]]
      }
    }

    var task: HTTPTask {
      switch self {
      case .languages: .requestPlain
      case .translate(let texts, _): json(texts)
      }
    }

    var mockedResponse: MockedResponse? {
      switch self {
      case .languages: MockedResponse(status: .ok, bodyJson: #"["de", "ja"]"#)
      case .translate: nil
      }
    }
  }

  func languages() async -> String {
    switch await provider.response(on: .languages, decodeBodyTo: [String].self) {
    case .success(let languages): languages.joined(separator: ", ")
    case .failure(.clientError(_, let refusal?)): refusal.message
    case .failure(let error): error.localizedDescription
    }
  }
}

@Suite("Migrating from Microya, as the article has it", .timeLimit(.minutes(1)))
struct MigratingFromMicroyaTests {
  @Test("a call and its typed error")
  func call() async throws {
    let server = try LoopbackServer { _ in .json(#"{"message": "no key"}"#, status: 403) }
    server.route("/translate") { .json($0.text) }
    let examples = Examples(provider: NetworkProvider(at: server))
    #expect(await examples.languages() == "no key")
    let echo = await examples.provider.response(on: .translate(["a"], to: "de"), decodeBodyTo: [String].self)
    #expect(try echo.get() == ["a"])
    #expect(server.log.requests.map(\.target) == ["/languages?scope=translation", "/translate?to=de"])
  }

  private typealias Translator = Examples.Translator

  @Test("a mocked answer, in its own time")
  func mocked() {
    let time = ManualDelayScheduler()
    let behavior = MockingBehavior<Translator>(delay: 0.5, scheduler: time)
    let mocked = NetworkProvider(mockingBehavior: behavior)
    nonisolated(unsafe) var languages: [[String]?] = []
    mocked.performRequest(on: .languages, decodeBodyTo: [String].self) { languages.append(try? $0.get()) }
    time.advance(by: 0.4)
    #expect(languages.isEmpty)
    time.advance(by: 0.2)
    #expect(languages == [["de", "ja"]])
    mocked.performRequest(on: .translate([], to: "de"), decodeBodyTo: [String].self) { result in
      if case .failure(.noResponseReceived(let error)) = result { languages.append(["\(error)"]) }
    }
    time.advance(by: 1)
    #expect(languages.count == 2)
  }
}

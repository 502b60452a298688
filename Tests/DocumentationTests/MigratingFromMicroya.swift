import Foundation
import LoopbackServer
import MicroyaCompatibility
import NetworkCore
import Testing

private enum Translator {
  case languages
  case translate(Data, to: String)
}

extension Translator: Microya.Endpoint {
  struct ClientErrorType: Decodable, Sendable {
    let message: String
  }

  var baseUrl: URL { URL(string: "https://translator.example")! }

  var subpath: String {
    switch self {
    case .languages: "/languages"
    case .translate: "/translate"
    }
  }

  var method: HttpMethod {
    switch self {
    case .languages: .get
    case .translate(let texts, _): .post(body: texts)
    }
  }

  var queryParameters: [String: QueryParameterValue] {
    switch self {
    case .languages: ["scope": "translation"]
    case .translate(_, let language): ["to": [language]]
    }
  }

  var mockedResponse: MockedResponse? {
    switch self {
    case .languages: MockedResponse(status: .ok, bodyJson: #"["de", "ja"]"#)
    case .translate: nil
    }
  }
}

@Suite("Examples in Migrating from Microya", .timeLimit(.minutes(5)))
struct MigratingFromMicroyaTests {
  @Test("calls return values or typed errors")
  func calls() async throws {
    let server = try LoopbackServer { _ in .json(#"{"message": "no key"}"#, status: 403) }
    server.route("/translate") { .json($0.text) }
    let url = server.baseURL
    let (texts, continuation) = AsyncStream.makeStream(of: String.self)
    @Sendable func print(_ value: Any) { continuation.yield("\(value)") }

    let provider = ApiProvider<Translator>(baseUrl: url)

    provider.performRequest(on: .languages, decodeBodyTo: [String].self) { result in
      switch result {
      case .success(let languages): print(languages.count)
      case .failure(.clientError(_, let refusal?)): print(refusal.message)
      case .failure(let error): print(error.localizedDescription)
      }
    }

    let result = await provider.response(on: .languages, decodeBodyTo: [String].self)

    #expect(await texts.first { _ in true } == "no key")
    #expect(throws: ApiError<Translator.ClientErrorType>.self) { _ = try result.get() }
    let translation = Translator.translate(Data(#"["a"]"#.utf8), to: "de")
    let echo = await provider.response(on: translation, decodeBodyTo: [String].self)
    #expect(try echo.get() == ["a"])
    #expect(server.log.requests.last?.target == "/translate?to=de")
  }

  @Test("a mocked response arrives after its delay")
  func mocked() throws {
    let url = try #require(URL(string: "https://elsewhere.example"))

    let time = ManualDelayScheduler()
    let behavior = MockingBehavior<Translator>(delay: .seconds(0.5), scheduler: time)
    let mocked = ApiProvider<Translator>(baseUrl: url, mockingBehavior: behavior)

    nonisolated(unsafe) var results: [[String]?] = []
    mocked.performRequest(on: .languages, decodeBodyTo: [String].self) { results.append(try? $0.get()) }
    time.advance(by: .milliseconds(400))
    #expect(results.isEmpty)
    time.advance(by: .milliseconds(200))
    #expect(results == [["de", "ja"]])
    mocked.performRequest(on: .translate(Data(), to: "de"), decodeBodyTo: [String].self) { result in
      if case .failure(.noResponseReceived) = result { results.append(nil) }
    }
    time.advance(by: .seconds(1))
    #expect(results == [["de", "ja"], nil])
  }
}

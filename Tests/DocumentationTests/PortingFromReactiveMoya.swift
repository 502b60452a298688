import MoyaCompatibility
import ReactiveSwiftCompatibility
import Testing

private enum Service: TargetType {
  case zen

  var baseURL: URL { URL(string: "https://service.example")! }
  var path: String { "/zen" }
  var sampleData: Data { Data("Half measures are as bad as nothing at all.".utf8) }
}

@Suite("Examples in Porting from ReactiveMoya", .timeLimit(.minutes(5)))
struct PortingFromReactiveMoyaTests {
  private let provider = MoyaProvider<Service>(stubClosure: MoyaProvider.immediatelyStub)

  @Test("a producer sends its request when it is started")
  func producers() async {
    let (texts, continuation) = AsyncStream.makeStream(of: String.self)
    @Sendable func print(_ value: String) { continuation.yield(value) }

    let request = provider.reactive.request(.zen)
      .filterSuccessfulStatusCodes()
      .mapString()
      .observe(on: QueueScheduler(qos: .default))
      .start { event in
        switch event {
        case .value(let text): print(text)
        case .failed(let error): print(error.localizedDescription)
        case .completed, .interrupted: break
        }
      }

    #expect(await texts.first { _ in true }?.hasPrefix("Half measures") == true)
    request.dispose()
  }

  @Test("all operators apply to the producer's sequence")
  func sequence() async throws {
    let texts = provider.reactive.request(.zen).mapString().asObservable()
      .retry(3)
      .debounce(.milliseconds(300), scheduler: MainScheduler.instance)

    var received: [String] = []
    for try await text in texts.values { received.append(text) }
    #expect(received.count == 1)
  }
}

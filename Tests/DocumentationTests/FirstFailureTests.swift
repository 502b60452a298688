import Foundation
import LoopbackServer
import ReactiveNetwork
import ReactiveNetworkLock
import Testing

/// The symptoms in the table of Getting started, as a program meets them.
///
/// `Tests/Isolation` has those that the compiler reports, and `DefaultTransportTests` a missing libcurl.
@Suite("The first failures", .timeLimit(.minutes(5)))
struct FirstFailureTests {
  private struct Item: Decodable {
    let name: Int
  }

  private enum Service: TargetType {
    case items

    var baseURL: URL { URL(string: "https://service.example")! }
    var path: String { "/items" }
  }

  private static let article = "Sources/ReactiveNetwork/ReactiveNetwork.docc/GettingStarted.md"

  private let server: LoopbackServer
  private let provider: NetworkProvider<Service>
  private let article: String

  init() throws {
    server = try LoopbackServer { _ in .json(#"{"items": [{"name": "site"}]}"#) }
    provider = NetworkProvider(at: server)
    article = try Document(Self.article).prose
  }

  /// Checks that a single fails with a text that contains a symptom, and that the article lists it.
  private func expect(
    _ symptom: String, of single: Single<[Item]>, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: NetworkError.self, sourceLocation: sourceLocation) {
      try await single.value
    }
    let text = error?.localizedDescription ?? ""
    #expect(text.contains(symptom), sourceLocation: sourceLocation)
    #expect(article.contains("| `\(symptom)` |"), sourceLocation: sourceLocation)
  }

  @Test("a wrong key path, another type and an array inside an object are named")
  func decoding() async {
    let request = provider.rx.request(.items)
    await expect(#"has no value at the key path "itms""#, of: request.map([Item].self, atKeyPath: "itms"))
    await expect("Expected to decode Array<Any> but found a dictionary", of: request.map([Item].self))
    struct Page: Decodable {
      let items: [Item]
    }
    await expect("expected value of type Int. Path: items[0].name", of: request.map(Page.self).map(\.items))
  }

  @Test("without a network, the text names the host and what to check")
  func network() {
    let error = NetworkError.underlying(TransferError.cannotFindHost("api.github.com"), nil)
    #expect(article.contains("`\(error.localizedDescription)`"))
  }

  @Test("a request whose bag is dropped at once is cancelled, and one whose disposable is dropped is not")
  func droppedDisposable() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("late").held(until: gate) }
    let provider = NetworkProvider<Service>(at: server)
    let calls = Lock<[String]>([])
    let (isDelivered, delivered) = AsyncStream.makeStream(of: Void.self)
    _ = provider.rx.request(.items).subscribe { _ in
      calls.withLock { $0.append("kept") }
      delivered.yield()
    }
    try await server.log(until: { $0.pending == 1 })
    provider.rx.request(.items)
      .subscribe(
        onSuccess: { _ in calls.withLock { $0.append("success") } },
        onFailure: { _ in calls.withLock { $0.append("failure") } },
        onDisposed: { calls.withLock { $0.append("disposed") } }
      )
      .disposed(by: DisposeBag())
    #expect(calls.withLock { $0 } == ["disposed"])
    gate.open()
    await isDelivered.first { _ in true }
    #expect(calls.withLock { $0 } == ["disposed", "kept"])
    #expect(article.contains("keep it with `disposed(by:)` in a bag that outlives the request"))
  }
}

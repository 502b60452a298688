import Foundation
import Locking
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

private struct Profile: Decodable, Equatable, Sendable {
  let name: String
}

@Suite("The README's workflow", .timeLimit(.minutes(1)))
struct ReadmeWorkflowTests {
  private static let operators = [
    ".filterSuccessfulStatusCodes()", ".refreshingToken(with: refresher)",
    ".retry(backoff: .exponential(), maxAttempts: 4)", ".trackActivity(activity)", ".map(Profile.self)",
    ".cached(for: .seconds(60))",
  ]

  @Test("has these operators in this order")
  func text() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let block = try #require(
      readme.components(separatedBy: "```").first { $0.contains("refreshingToken") })
    let shown = block.split(separator: "\n").compactMap { line in
      line.components(separatedBy: "  //").first?.trimmingCharacters(in: .whitespaces)
    }
    #expect(shown.filter { $0.hasPrefix(".") } == Self.operators)
  }

  @Test("refreshes, repeats, decodes and keeps")
  func behaviour() async throws {
    let states = Lock([401, 503, 200])
    let server = try LoopbackServer { _ in
      switch states.withLock({ $0.isEmpty ? 200 : $0.removeFirst() }) {
      case 200: .json(#"{"name": "ash"}"#)
      case let status: .status(status).header("Retry-After", "0")
      }
    }
    let provider = NetworkProvider<Page>()
    let refreshes = Lock(0)
    let refresher = TokenRefresher {
      refreshes.withLock { $0 += 1 }
      return .just(())
    }
    let activity = ActivityIndicator()
    let profile = provider.rx.request(Page(server, "/profile"))
      .filterSuccessfulStatusCodes()
      .refreshingToken(with: refresher)
      .retry(backoff: .exponential(), maxAttempts: 4)
      .trackActivity(activity)
      .map(Profile.self)
      .cached(for: .seconds(60))
    for _ in 0..<3 { #expect(try await profile.result().get() == Profile(name: "ash")) }
    #expect(server.log.requests.count == 3)
    #expect(refreshes.withLock { $0 } == 1)
    // The subscription ends after the answer was handed over.
    for try await count in activity.inFlight.values where count == 0 { break }
  }
}

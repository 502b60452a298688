import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The resume obstacle of a response", .timeLimit(.minutes(5)))
struct ResumeObstacleTests {
  private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"

  static let heads: [(HTTPHeaders, ResumeObstacle?)] = [
    ([], .noValidator), (["ETag": "W/\"v1\""], .weakTag("W/\"v1\"")),
    (["ETag": "\"v1"], .invalidValidator("\"v1")), (["ETag": "\""], .invalidValidator("\"")),
    (["ETag": "\"a\", \"b\""], .invalidValidator("\"a\", \"b\"")), (["ETag": "\"\""], nil),
    (["ETag": "v1"], .invalidValidator("v1")), (["ETag": "\"é\""], .invalidValidator("\"é\"")),
    (["ETag": "W/\"v1\"", "Last-Modified": date], .weakTag("W/\"v1\"")),
    (["Last-Modified": date, "Date": date], .recentlyModified(date)),
    (["Last-Modified": "yesterday"], .invalidValidator("yesterday")),
    (["ETag": "\"v1\"", "Content-Encoding": "gzip"], .contentEncoding("gzip")),
    (["ETag": "\"v1\"", "Accept-Ranges": "None"], .rangesRefused), (["ETag": "\"v1\""], nil),
    (["ETag": "\"v1\"", "Content-Encoding": "Identity"], nil),
    (["Last-Modified": date, "Date": "Tue, 15 Nov 1994 12:45:27 GMT"], nil),
    (["Last-Modified": date], .noValidator),
  ]

  /// Downloads until the transport fails, and expects an obstacle in the only progress and in the error.
  private func expect(
    _ obstacle: ResumeObstacle?, from transport: any Transport, to file: URL,
    location: SourceLocation = #_sourceLocation
  ) async {
    let obstacles = Lock([ResumeObstacle?]())
    let ending = CompletionStream()
    NetworkProvider<LoopbackTarget>(transport: transport).download(
      LoopbackTarget(URL(staticString: "http://h")), to: file,
      progress: { progress in obstacles.withLock { $0.append(progress.resumeObstacle) } },
      completion: ending.completion)
    guard case .failure(let error) = await ending.next() else {
      Issue.record("no error", sourceLocation: location)
      return
    }
    #expect(obstacles.withLock { $0 } == [obstacle], sourceLocation: location)
    #expect(error.response?.resumeObstacle == obstacle, sourceLocation: location)
  }

  @Test("is reported with the progress and with the error", arguments: heads.indices)
  func told(index: Int) async throws {
    let (headers, obstacle) = Self.heads[index]
    let folder = try TemporaryFolder()
    let transport = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 200, url: "http://h", headers: headers)), .body(Data("0123".utf8)),
        .finished(.connectionLost(reason: "r")))
    }
    await expect(obstacle, from: transport, to: folder.file())
    #expect(folder.names.isEmpty == (obstacle != nil))
    #expect(obstacle?.errorDescription?.contains("cannot be resumed") != false)
  }

  @Test(
    "is reported if the server ignores the range, but not if the content changed", arguments: ["v1", "v2"])
  func ignored(tag: String) async throws {
    let folder = try TemporaryFolder()
    let attempts = Lock(0)
    let transport = ScriptedTransport {
      let isFirst = attempts.withLock {
        $0 += 1; return $0 == 1
      }
      $0.send(
        .head(
          ResponseHead(statusCode: 200, url: "http://h", headers: ["ETag": isFirst ? "\"v1\"" : "\"\(tag)\""])
        ),
        .body(Data("0123".utf8)), .finished(.connectionLost(reason: "r")))
    }
    for obstacle in [nil, tag == "v1" ? ResumeObstacle.rangeIgnored : nil, .rangeIgnored] {
      await expect(obstacle, from: transport, to: folder.file())
    }
  }

  @Test("does not depend on the time of the call")
  func stable() throws {
    // Modified in this second: compared with a later time, it would look old enough.
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    for age in [0, 5] as [TimeInterval] {
      let modified = formatter.string(from: Date(timeIntervalSinceNow: -age))
      let head = try #require(
        HTTPURLResponse(
          url: URL(staticString: "http://h"), statusCode: 200, httpVersion: nil,
          headerFields: ["Last-Modified": modified]))
      let response = Response(statusCode: 200, data: Data(), response: head)
      #expect(response.resumeObstacle == .noValidator)
    }
  }

  @Test("is nil for the rest of a file, a failure status, and a download that is not resumable")
  func none() async throws {
    let folder = try TemporaryFolder()
    for (status, headers) in [(206, ["Content-Range": "bytes 0-3/4"]), (404, [:]), (304, [:])]
      as [(Int, HTTPHeaders)]
    {
      let transport = ScriptedTransport { $0.respond(status, headers: headers, "0123") }
      let response = try await NetworkProvider<LoopbackTarget>(transport: transport)
        .result(LoopbackTarget(URL(staticString: "http://h"))).get()
      #expect(response.resumeObstacle == nil)
    }
    let file = folder.file()
    let target = LoopbackTarget(URL(staticString: "http://h")).with {
      $0.task = .downloadDestination { _, _ in (file, []) }
    }
    let obstacles = Lock([ResumeObstacle?]())
    let ending = CompletionStream()
    NetworkProvider<LoopbackTarget>(transport: ScriptedTransport { $0.respond(200, "0123") }).request(
      target, progress: { progress in obstacles.withLock { $0.append(progress.resumeObstacle) } },
      completion: ending.completion)
    _ = try await ending.next().get()
    #expect(obstacles.withLock { $0 } == [nil, nil])
  }
}

import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// A download that accepts every status.
private struct AcceptingDownload: TargetType {
  let baseURL: URL
  let file: URL
  var path: String { "/" }
  var validationType: ValidationType { .customCodes([]) }
  var task: HTTPTask { .downloadDestination { [file] _, _ in (file, []) } }
}

@Suite("Downloads as sequences", .timeLimit(.minutes(5)))
struct DownloadTests {
  private let provider = NetworkProvider<LoopbackTarget>()

  @Test("progress arrives as elements, and the next subscription resumes a disposed download")
  func resumes() async throws {
    let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let server = try LoopbackServer { request in
      let range = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) }
      let reply: LoopbackServer.Reply =
        range.map {
          .bytes(body[$0...], status: 206).header("Content-Range", "bytes \($0)-199999/200000")
        } ?? .bytes(body).bodyHeld(until: .init(), after: 100_000)
      return reply.header("ETag", "\"v1\"")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("file")
    let download = provider.rx.download(
      LoopbackTarget(server, "/"), to: file, options: .createIntermediateDirectories)
    let counts = AsyncStream.makeStream(of: ProgressResponse.self)
    let first = download.subscribe(onNext: { counts.continuation.yield($0) })
    #expect(await counts.stream.first { $0.completedUnitCount == 100_000 }?.progress == 0.5)
    first.dispose()
    let rest = try await download.toArray().result().get()
    #expect(rest.last?.response?.fileURL == file)
    #expect(rest.last?.completedUnitCount == 200_000)
    #expect(rest.contains { !$0.completed })
    #expect(rest.filter { !$0.completed }.allSatisfy { $0.completedUnitCount > 100_000 })
    #expect(try Data(contentsOf: file) == body)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    #expect(server.log.requests.last?.headers["Range"] == "bytes=100000-")
  }

  @Test("a refused download completes without a file, unless its status is filtered", arguments: [404, 503])
  func refused(status: Int) async throws {
    let server = try LoopbackServer { _ in .text("not now", status: status) }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let download = provider.rx.download(LoopbackTarget(server, "/"), to: file)
    let answer = try await download.toArray().result().get().last?.response
    #expect(answer?.statusCode == status)
    #expect(answer?.fileURL == nil)
    for filtered in [download.filterSuccessfulStatusCodes(), download.filter(statusCodes: ...299)] {
      let error = await filtered.toArray().result().networkError
      guard case .statusCode(let response)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(response.data == Data("not now".utf8))
    }
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("a download whose file exists is not repeated, whatever its status")
  func acceptedFailure() async throws {
    let server = try LoopbackServer { _ in .text("busy", status: 503) }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { _ = try? FileManager.default.removeItem(at: file) }
    let response = try await NetworkProvider<AcceptingDownload>().rx
      .request(AcceptingDownload(baseURL: server.baseURL, file: file))
      .retry(backoff: .immediate(maxCount: 3)).value
    #expect(response.fileURL == file)
    #expect(server.log.requestCount == 1)
  }

  @Test("an existing file stays by default")
  func existing() async throws {
    let server = try LoopbackServer { _ in .text("new") }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { _ = try? FileManager.default.removeItem(at: file) }
    try Data("old".utf8).write(to: file)
    let error = await provider.rx.download(LoopbackTarget(server, "/"), to: file).toArray().result()
      .networkError
    guard case .underlying(let reason, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason as? DownloadError == .fileExists(path: file.path))
    #expect(try Data(contentsOf: file) == Data("old".utf8))
    #expect(server.log.requestCount == 0)
  }

  @Test("a download that fails ends with the error")
  func failure() async throws {
    let server = try LoopbackServer { _ in .close }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let error = await provider.rx.download(LoopbackTarget(server, "/"), to: file).toArray().result()
      .networkError
    guard case .connectionLost? = error?.transferError else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

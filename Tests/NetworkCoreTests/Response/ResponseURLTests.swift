import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The URL of a response", .timeLimit(.minutes(5)))
struct ResponseURLTests {
  /// Redirects from `/start` to a page with relative links on another server.
  private static func servers() throws -> (first: LoopbackServer, last: LoopbackServer) {
    let last = try LoopbackServer { _ in
      .text("page").header("Link", #"<next?page=2>; rel="next", </top>; rel="up""#).header("ETag", "\"v1\"")
    }
    let first = try LoopbackServer { [origin = last.origin] _ in .redirect(to: "\(origin)/moved/list") }
    return (first, last)
  }

  private static func check(_ response: Response, _ first: LoopbackServer, _ last: LoopbackServer) {
    #expect(response.url?.absoluteString == "\(last.origin)/moved/list")
    #expect(response.request?.url?.absoluteString == "\(first.origin)/start")
    #expect(
      response.links.mapValues(\.absoluteString) == [
        "next": "\(last.origin)/moved/next?page=2", "up": "\(last.origin)/top",
      ])
  }

  @Test(
    "is the last one after a redirect, and the base of relative links", arguments: TransportKind.allCases)
  func redirected(kind: TransportKind) async throws {
    let (first, last) = try Self.servers()
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    Self.check(try await provider.result(LoopbackTarget(first, "/start")).get(), first, last)
  }

  @Test("is the last one after a redirect that a handler followed")
  func handler() async throws {
    let (first, last) = try Self.servers()
    let session = Session(configuration: .ephemeral, redirectHandler: .follow)
    let provider = NetworkProvider<LoopbackTarget>(session: session)
    Self.check(try await provider.result(LoopbackTarget(first, "/start")).get(), first, last)
    let staying = NetworkProvider<LoopbackTarget>(
      session: Session(configuration: .ephemeral, redirectHandler: .doNotFollow))
    let redirect = try await staying.result(LoopbackTarget(first, "/start")).get()
    #expect(redirect.url?.absoluteString == "\(first.origin)/start")
  }

  @Test("is the last one for a download, a stream and an error")
  func elsewhere() async throws {
    let (first, last) = try Self.servers()
    let folder = try TemporaryFolder()
    let provider = NetworkProvider<LoopbackTarget>()
    let target = LoopbackTarget(first, "/start")
    for task in [
      .downloadDestination { _, _ in (folder.file("a"), []) }, .downloadResumable(to: folder.file("b")),
    ] as [HTTPTask] {
      Self.check(try await provider.result(target.with { $0.task = task }).get(), first, last)
    }
    Self.check(try await provider.stream(target).response, first, last)
    let refused = await provider.result(target.with { $0.validationType = .customCodes([204]) })
    guard case .failure(let error) = refused, let response = error.response else {
      Issue.record("\(refused)")
      return
    }
    Self.check(response, first, last)
  }

  @Test("is the same from a recording and from a cache")
  func kept() async throws {
    let (first, last) = try Self.servers()
    let folder = try TemporaryFolder()
    let recorder = try RecordingTransport(CurlTransport(), folder: folder.url)
    _ = try await NetworkProvider<LoopbackTarget>(transport: recorder).result(LoopbackTarget(first, "/start"))
      .get()
    let offline = NetworkProvider<LoopbackTarget>(transport: try ReplayTransport(folder: folder.url))
    Self.check(try await offline.result(LoopbackTarget(first, "/start")).get(), first, last)

    let server = try LoopbackServer { _ in
      .text("page").header("Cache-Control", "max-age=60").header("Link", "<b>; rel=next")
    }
    let caching = NetworkProvider<LoopbackTarget>(
      transport: CachingTransport(try CurlTransport(), cache: try HTTPCache()))
    for _ in 0..<2 {
      let response = try await caching.result(LoopbackTarget(server, "/x/a")).get()
      #expect(response.url?.absoluteString == "\(server.origin)/x/a")
      #expect(response.links["next"]?.absoluteString == "\(server.origin)/x/b")
    }
    #expect(server.log.requestCount == 1)
  }

  @Test("is that of the head, or else of the request, if the response was created manually")
  func made() throws {
    let (url, other) = (try #require(URL(string: "http://h/a")), try #require(URL(string: "http://i/b")))
    let head = HTTPURLResponse(url: other, statusCode: 200, httpVersion: nil, headerFields: nil)
    let request = URLRequest(url: url)
    #expect(Response(statusCode: 200, data: Data(), request: request, response: head).url == other)
    #expect(Response(statusCode: 200, data: Data(), request: request).url == url)
    #expect(Response(statusCode: 200, data: Data()).url == nil)
  }

  @Test("is that of the request for a stub")
  func stub() async throws {
    let provider = NetworkProvider<LoopbackTarget>(
      stubClosure: NetworkProvider<LoopbackTarget>.immediatelyStub, transport: ScriptedTransport())
    let response = try await provider.result(LoopbackTarget(URL(staticString: "http://h"), "/a")).get()
    #expect(response.url?.absoluteString == "http://h/a")
  }
}

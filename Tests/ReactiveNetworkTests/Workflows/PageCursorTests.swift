import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("PageCursor", .timeLimit(.minutes(5)))
struct PageCursorTests {
  private struct PageError: Error {}

  /// Pages 1 to 4; the third fails at the first request.
  private final class PageSource {
    var requested: [Int] = []
    private var hasFailed = false

    func page(_ number: Int) -> Single<Int> {
      Single.deferred {
        self.requested.append(number)
        guard number == 3, !self.hasFailed else { return .just(number) }
        self.hasFailed = true
        return .error(PageError())
      }
    }

    func pages(from cursor: PageCursor<Single<Int>>?) -> Observable<Int> {
      page(1).paginate(from: cursor) { $0 < 4 ? self.page($0 + 1) : nil }
    }
  }

  @Test("lets retry continue at the page that failed")
  func retry() throws {
    let source = PageSource()
    let cursor = PageCursor<Single<Int>>()
    #expect(try source.pages(from: cursor).retry(2).toBlocking().toArray() == [1, 2, 3, 4])
    #expect(source.requested == [1, 2, 3, 3, 4])
    // After the last page, the cursor is at the first one again.
    #expect(cursor.page == nil)
    #expect(try source.pages(from: cursor).take(1).toBlocking().toArray() == [1])
  }

  @Test("lets a later subscription continue where an earlier one was disposed, until it is reset")
  func disposed() throws {
    let source = PageSource()
    let cursor = PageCursor<Single<Int>>()
    #expect(try source.pages(from: cursor).take(2).toBlocking().toArray() == [1, 2])
    #expect(source.requested == [1, 2])
    #expect(throws: PageError.self) { try source.pages(from: cursor).toBlocking().toArray() }
    #expect(try source.pages(from: cursor).take(1).toBlocking().toArray() == [3])
    cursor.reset()
    #expect(try source.pages(from: cursor).take(1).toBlocking().toArray() == [1])
  }

  @Test("stays at a page for which the closure throws")
  func throwing() throws {
    let cursor = PageCursor(Single.just(7))
    let pages = Single.just(1).paginate(from: cursor) { _ in throw PageError() }
    #expect(throws: PageError.self) { try pages.toBlocking().toArray() }
    #expect(try cursor.page?.toBlocking().single() == 7)
  }

  /// Three pages; the second has a bad status the first time.
  private func server() throws -> LoopbackServer {
    let hasFailed = Lock(false)
    return try LoopbackServer { request in
      let page = Int(request.path.dropFirst()) ?? 0
      if page == 2, hasFailed.withLock({ !exchange(&$0, with: true) }) { return .text("later", status: 503) }
      return .text("page \(page)").header("Link", page < 3 ? "</\(page + 1)>; rel=next" : "</1>; rel=first")
    }
  }

  @Test("stays at a page whose status is bad")
  func badStatus() async throws {
    let server = try server()
    let cursor = PageCursor<LoopbackTarget>()
    let provider = NetworkProvider<LoopbackTarget>()
    let pages = provider.rx.paginate(LoopbackTarget(server, "/1"), from: cursor) { response in
      response.links["next"].map { LoopbackTarget(server, $0.path) }
    }
    let texts = pages.filterSuccessfulStatusCodes().mapString().toArray()
    await #expect(throws: NetworkError.self) { try await texts.value }
    #expect(cursor.page?.path == "/2")
    #expect(try await texts.value == ["page 2", "page 3"])
    #expect(server.log.requests.map(\.path) == ["/1", "/2", "/2", "/3"])
    #expect(cursor.page == nil)
  }

  @Test("stays at a page whose status is bad, also if the pages are singles", arguments: [false, true])
  func badStatusOfSingle(allowsOtherOrigins: Bool) async throws {
    let server = try server()
    let cursor = PageCursor<Single<Response>>()
    let provider = NetworkProvider<LoopbackTarget>()
    let pages = provider.rx.request(LoopbackTarget(server, "/1")).paginate(
      from: cursor, allowsOtherOrigins: allowsOtherOrigins
    ) { response in
      response.links["next"].map { provider.rx.request(LoopbackTarget(server, $0.path)) }
    }
    let texts = pages.filterSuccessfulStatusCodes().mapString().toArray()
    await #expect(throws: NetworkError.self) { try await texts.value }
    #expect(try await texts.value == ["page 2", "page 3"])
    #expect(server.log.requests.map(\.path) == ["/1", "/2", "/2", "/3"])
    #expect(cursor.page == nil)
  }

  @Test("moves past a page only if its status is 200 to 299", arguments: [199, 200, 299, 300, 404])
  func statuses(status: Int) throws {
    let server = try LoopbackServer()
    let (cursor, stubs) = (PageCursor<LoopbackTarget>(), StubTable<LoopbackTarget>())
    stubs.add(path: "/1", [.networkResponse(status, Data())])
    let pages = NetworkProvider<LoopbackTarget>(stubs: stubs).rx.paginate(
      LoopbackTarget(server, "/1"), from: cursor
    ) { _ in
      LoopbackTarget(server, "/2")
    }
    #expect(try pages.take(1).toBlocking().toArray().map(\.statusCode) == [status])
    #expect(cursor.page?.path == (200...299 ~= status ? "/2" : nil))
    #expect(server.log.requestCount == 0)
  }

  @Test("does not lead to another origin than the first page's")
  func otherOrigin() async throws {
    let (server, other) = (try server(), try server())
    let cursor = PageCursor(LoopbackTarget(other, "/2"))
    let pages = NetworkProvider<LoopbackTarget>().rx.paginate(LoopbackTarget(server, "/1"), from: cursor) {
      _ in nil
    }
    await #expect(throws: PaginationError.otherOrigin(other.origin, first: server.origin)) {
      try await pages.toArray().value
    }
    #expect(other.log.connectionsAccepted == 0)
  }
}

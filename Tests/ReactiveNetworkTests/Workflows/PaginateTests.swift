import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("paginate(next:)", .timeLimit(.minutes(5)))
struct PaginateTests {
  @Test("follows the server's links, page after page")
  func links() async throws {
    let server = try LoopbackServer { request in
      let page = Int(request.path.dropFirst()) ?? 0
      let reply = LoopbackServer.Reply.text("page \(page)")
      return page < 3
        ? reply.header("Link", "<https://x/other>; rel=prev, </\(page + 1)>; rel=\"next last\"") : reply
    }
    let provider = NetworkProvider<LoopbackTarget>()
    let pages = provider.rx.paginate(LoopbackTarget(server, "/1")) { response in
      response.links["next"].map { LoopbackTarget(server, $0.path) }
    }
    var texts: [String] = []
    for try await text in pages.mapString().values { texts.append(text) }
    #expect(texts == ["page 1", "page 2", "page 3"])
  }

  @Test("requests no page without demand")
  func lazy() throws {
    var asked: [Int] = []
    func page(_ number: Int) -> Single<Int> {
      Single.deferred {
        asked.append(number)
        return .just(number)
      }
    }
    let pages = page(1).paginate { page($0 + 1) }
    #expect(try pages.take(3).toBlocking().toArray() == [1, 2, 3])
    #expect(asked == [1, 2, 3])
    // Each subscription begins with the first page.
    #expect(try pages.take(1).toBlocking().toArray() == [1])
  }

  @Test("many pages do not deepen the stack")
  func depth() throws {
    func page(_ number: Int) -> Single<Int> { .just(number) }
    let last = try page(1).paginate { $0 < 100_000 ? page($0 + 1) : nil }.toBlocking().last()
    #expect(last == 100_000)
  }

  @Test("an error that the closure throws is delivered after the page")
  func failure() {
    let result = Single.just(1).paginate { _ in throw RxError.unknown }.toBlocking().materialize()
    guard case .failed(let elements, let error) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(elements == [1])
    #expect(error is RxError)
  }
}

import Foundation
import Locking
import NetworkCore
import Testing

@Suite("Stubs")
struct StubTests {
  @Test("an immediate stub completes before request returns")
  func immediate() throws {
    let results = Lock([Result<Response, NetworkError>]())
    NetworkProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub).request(.zen) { result in
      results.withLock { $0.append(result) }
    }
    let all = results.withLock { $0 }
    #expect(all.count == 1)
    #expect(try all.first?.get().data == GitHub.zen.sampleData)
  }
}

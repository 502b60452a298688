import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("A request with its progress", .timeLimit(.minutes(5)))
struct ProgressTests {
  private struct SampleTarget: TargetType {
    let sampleData: Data
    var validationType: ValidationType = .none
    var baseURL: URL { URL(fileURLWithPath: "/") }
    var path: String { "" }
    var sampleResponse: EndpointSampleResponse {
      .networkResponse(validationType == .none ? 200 : 404, sampleData)
    }
  }

  private let provider = NetworkProvider<SampleTarget>(stubClosure: NetworkProvider.immediatelyStub)

  @Test("ends with one element that has the response")
  func elements() throws {
    let request = provider.rx.requestWithProgress(SampleTarget(sampleData: Data("abcd".utf8)))
    let all = try request.toBlocking().toArray()
    #expect(all.map(\.progress) == [1, 1])
    #expect(all.map(\.completed) == [false, true])
    #expect(all.last?.response?.data == Data("abcd".utf8))
    #expect(try request.filterProgress().toBlocking().toArray() == [1])
    #expect(try request.filterCompleted().mapString().toBlocking().toArray() == ["abcd"])
  }

  @Test("fails with the provider's error, and without elements")
  func failure() {
    let request = provider.rx.requestWithProgress(
      SampleTarget(sampleData: Data(), validationType: .successCodes))
    let end = request.toBlocking().materialize()
    guard case .failed(let elements, let error) = end,
      case .statusCode(let response)? = error as? NetworkError
    else {
      Issue.record("\(end)")
      return
    }
    #expect(elements.isEmpty)
    #expect(response.statusCode == 404)
  }

  @Test(
    "filterSuccessfulStatusCodes accepts a last element with a status of 200 to 299",
    arguments: [199, 200, 299, 300, 304])
  func statusCodes(status: Int) {
    let answer = ProgressResponse(response: Response(statusCode: status, data: Data()))
    switch Observable.just(answer).filterSuccessfulStatusCodes().toBlocking().materialize() {
    case .completed(let elements):
      #expect(200...299 ~= status)
      #expect(elements.map(\.response?.statusCode) == [status])
    case .failed(let elements, let error):
      #expect(!(200...299 ~= status))
      #expect(elements.isEmpty)
      #expect((error as? NetworkError)?.response?.statusCode == status)
    }
  }

  @Test("nothing is sent before a subscription, and a dispose cancels the transfer")
  func dispose() async throws {
    let server = try LoopbackServer { _ in .never }
    let request = NetworkProvider<LoopbackTarget>().rx.requestWithProgress(LoopbackTarget(server, "/"))
    #expect(server.log.requestCount == 0)
    let subscription = request.subscribe()
    try await server.log(until: { $0.pending == 1 })
    subscription.dispose()
    try await server.log(until: { $0.abandoned.count == 1 })
  }
}

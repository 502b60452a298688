import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The connections of server-sent events")
struct EventConnectionTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let noContent = Response(statusCode: 204, data: Data())

  private func events(
    _ provider: ScriptedProvider, reconnectionTime: RxTimeInterval = .seconds(5)
  ) -> TestableObserver<ServerSentEvent> {
    let observer = scheduler.createObserver(ServerSentEvent.self)
    let subscription = provider.rx.events(
      .init(), reconnectionTime: reconnectionTime, scheduler: scheduler
    ).subscribe(observer)
    scheduler.start()
    subscription.dispose()
    return observer
  }

  @Test(
    "a connection that fails for a passing reason is followed by another, even if it fails before the call returns",
    arguments: [
      .timedOut(after: 1), .cannotFindHost("h"), .cannotConnect(url: "http://h", reason: ""),
      .connectionLost(reason: ""), .truncatedBody(reason: ""),
    ] as [TransferError])
  func passing(error: TransferError) {
    let provider = ScriptedProvider([[.finished(.underlying(error, nil))], [.response(noContent)]])
    let events = events(provider)
    #expect(provider.labels.count == 2)
    #expect(events.events == [.completed(5)])
  }

  @Test(
    "a connection that fails for a lasting reason is the last",
    arguments: [
      .secureConnectionFailed(reason: ""), .tooManyRedirects(limit: 1), .unsupportedURL("x"),
      .responseTooLarge(limit: 1),
    ] as [TransferError])
  func lasting(error: TransferError) {
    let provider = ScriptedProvider([[.finished(.underlying(error, nil))]])
    let end = events(provider).events.first
    #expect(end?.time == 0)
    #expect((end?.value.error as? NetworkError)?.transferError == error)
    #expect(provider.labels.count == 1)
  }

  @Test("a 204 completes the sequence even if the target's validation refuses it")
  func refusedNoContent() {
    let provider = ScriptedProvider([[.finished(.statusCode(noContent))]])
    #expect(events(provider).events == [.completed(0)])
  }

  @Test("a reconnection time that is too long is limited")
  func longestTime() throws {
    let url = try #require(URL(string: "http://localhost/"))
    let head = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/event-stream"]))
    let provider = ScriptedProvider([
      [
        .response(Response(statusCode: 200, data: Data(), response: head)),
        .chunk(Data("retry: \(Int.max)\n\n".utf8)), .finished(nil),
      ],
      [.response(noContent)],
    ])
    #expect(events(provider).events == [.completed(1_000_000_000)])
  }
}

import Dispatch
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite
import RxLiteTesting
import Testing

@Suite("requestTimeout(_:)", .timeLimit(.minutes(5)))
struct RequestTimeoutTests {
  @Test("fails with a NetworkError at its time")
  func virtual() {
    let scheduler = TestScheduler(initialClock: 0)
    let result = scheduler.start {
      Single<Int>.never().requestTimeout(.seconds(30), scheduler: scheduler).asObservable()
    }
    #expect(result.events.map(\.time) == [230])
    #expect(
      (result.events.first?.value.error as? NetworkError)?.transferError
        == .timedOut(.total, after: .seconds(30)))
  }

  @Test("disposes the request before the error is handled, because the handler may block")
  func order() {
    let scheduler = TestScheduler(initialClock: 0)
    let steps = Lock([String]())
    let subscription = Single<Int>.never()
      .do(onDispose: { steps.withLock { $0.append("disposed") } })
      .requestTimeout(.seconds(30), scheduler: scheduler)
      .subscribe(onFailure: { _ in steps.withLock { $0.append("failed") } })
    scheduler.advanceTo(30)
    #expect(steps.withLock { $0 } == ["disposed", "failed"])
    subscription.dispose()
  }

  @Test("cancels the transfer")
  func wire() async throws {
    let server = try LoopbackServer { _ in .never }
    let scheduler = TestScheduler(initialClock: 0)
    let observer = scheduler.createObserver(Never?.self)
    let subscription = NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/"))
      .requestTimeout(.seconds(30), scheduler: scheduler).asObservable().map { _ in nil }.subscribe(observer)
    // The request must be on the wire first.
    try await server.log(until: { $0.pending == 1 })
    scheduler.advanceTo(30)
    let error = observer.events.first?.value.error as? NetworkError
    #expect(error?.transferError == .timedOut(.total, after: .seconds(30)))
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    subscription.dispose()
  }
}

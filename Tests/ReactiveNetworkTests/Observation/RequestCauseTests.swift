import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("The causes of the requests that an operator sends")
struct RequestCauseTests {
  private struct Target: TargetType {
    let baseURL = URL(filePath: "/")
    let path = "/"
    let validationType = ValidationType.successCodes
  }

  private final class QueuedRequests: Sendable {
    private let requests = Lock([(id: RequestID, cause: RequestEvent.Cause)]())

    var all: [(id: RequestID, cause: RequestEvent.Cause)] { requests.withLock { $0 } }

    func add(_ event: RequestEvent) {
      guard case .queued(let call) = event.kind else { return }
      requests.withLock { $0.append((event.id, call.cause)) }
    }
  }

  private let scheduler = TestScheduler(initialClock: 0)
  private let stubs = StubTable<Target>()
  private let queued = QueuedRequests()

  private var request: Single<Response> {
    NetworkProvider(stubs: stubs, scheduler: scheduler.asDelayScheduler())
      .observed(by: { [queued] in queued.add($0) })
      .rx.request(Target())
  }

  /// Checks that the first request is a call, and returns the causes of the others with its identifier.
  private func causes(
    after request: Observable<Response>
  ) -> (first: RequestID?, others: [RequestEvent.Cause]) {
    _ = scheduler.start { request }
    let all = queued.all
    #expect(all.first?.cause == .call)
    return (all.first?.id, all.dropFirst().map(\.cause))
  }

  /// Takes a place of a limit for 10 s.
  private func occupy(_ limit: ConcurrencyLimit, at time: Int) {
    let (clock, timer) = (scheduler, Observable<Int>.timer(.seconds(10), scheduler: scheduler))
    clock.scheduleAt(time) { _ = timer.limitConcurrency(limit).subscribe() }
  }

  @Test("a retry that waits for a place, after a first attempt that has waited, is a retry")
  func waitingRetry() throws {
    stubs.add(path: "/", [.networkResponse(503, Data()), .networkResponse(200, Data())])
    let limit = ConcurrencyLimit(1, scheduler: scheduler.asDelayScheduler())
    for time in [195, 210] { occupy(limit, at: time) }
    let (first, others) = causes(
      after: request.limitConcurrency(limit)
        .retry(backoff: .constant(.seconds(10)), maxAttempts: 2, scheduler: scheduler).asObservable())
    #expect(others == [.retry(of: try #require(first))])
  }

  @Test("the second copy of a hedge that waits for a place is a hedge")
  func waitingCopy() throws {
    stubs.add(path: "/", [.networkResponse(200, Data())], behavior: .delayed(seconds: 60))
    let time = scheduler.asDelayScheduler()
    let limit = ConcurrencyLimit(2, scheduler: time)
    occupy(limit, at: 199)
    let budget = RetryBudget(ratio: 1, scheduler: time)
    let policy = HedgePolicy(after: .fixed(.seconds(5)), budget: budget, scheduler: time)
    let (first, others) = causes(after: request.limitConcurrency(limit).hedged(policy).asObservable())
    #expect(others == [.hedge(of: try #require(first))])
  }

  @Test("a retry that starts a shared sequence again is a retry")
  func shared() throws {
    stubs.add(path: "/", [.networkResponse(503, Data()), .networkResponse(200, Data())])
    let (first, others) = causes(
      after: request.asObservable().share()
        .retry(backoff: .constant(.seconds(10)), maxAttempts: 2, scheduler: scheduler))
    #expect(others == [.retry(of: try #require(first))])
  }

  @Test("a second request of an attempt is a call, and so is a second subscription")
  func later() throws {
    stubs.add(path: "/", [200, 503, 200, 200].map { .networkResponse($0, Data()) })
    let pair = request.flatMap { [request] _ in request }
      .retry(backoff: .constant(.seconds(10)), maxAttempts: 2, scheduler: scheduler).asObservable()
    let (first, others) = causes(after: pair)
    #expect(others == [.call, .retry(of: try #require(first)), .call])
    _ = pair.subscribe()
    #expect(queued.all.map(\.cause).suffix(2) == [.call, .call])
  }
}

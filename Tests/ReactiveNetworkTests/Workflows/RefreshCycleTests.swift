import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

import struct Foundation.Data

@Suite("A refresh whose own request is refreshed", .timeLimit(.minutes(5)))
struct RefreshCycleTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func refused(after time: Int = 10) -> Single<Int> {
    Single<Int>.timer(.seconds(time), scheduler: scheduler).map { _ in
      throw NetworkError.statusCode(Response(statusCode: 401, data: Data()))
    }
  }

  /// Holds the refresher, whose own refresh refers to it.
  private final class RefresherBox: @unchecked Sendable {
    // `@unchecked Sendable` because a test sets the refresher before anything runs.
    var refresher: TokenRefresher?
  }

  @Test(
    "fails with RefreshCycleError, as do the requests that wait for it, wherever it is resumed",
    arguments: [0, 3])
  func cycle(delay: Int) {
    let box = RefresherBox()
    let request = refused(after: 10 - delay)
    let start = delay == 0 ? Single.just(0) : Single<Int>.timer(.seconds(delay), scheduler: scheduler)
    let refresher = TokenRefresher {
      guard let refresher = box.refresher else { return .just(()) }
      return start.flatMap { _ in request.refreshingToken(with: refresher) }.map { _ in }
    }
    box.refresher = refresher
    let first = refused()
    let results = [200, 205].map { start in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(start) {
        _ = first.refreshingToken(with: refresher).asObservable().subscribe(observer)
      }
      return observer
    }
    scheduler.start()
    for result in results {
      #expect(result.events.map(\.time) == [220])
      #expect(result.events.first?.value.error is RefreshCycleError)
    }
    box.refresher = nil
  }

  @Test("fails with RefreshCycleError if its request is behind a shared sequence", arguments: [false, true])
  func sharedCycle(refCounts: Bool) {
    let box = RefresherBox()
    let request = refused(after: 5)
    let refresher = TokenRefresher {
      guard let refresher = box.refresher else { return .just(()) }
      let renewal = request.refreshingToken(with: refresher).asObservable()
      return (refCounts ? renewal.publish().refCount() : renewal.share()).asSingle().map { _ in }
    }
    box.refresher = refresher
    let result = scheduler.start { refused().refreshingToken(with: refresher).asObservable() }
    #expect(result.events.map(\.time) == [215])
    #expect(result.events.first?.value.error is RefreshCycleError)
    box.refresher = nil
  }

  @Test("a request of other code that starts while the refresh begins waits for the refresh")
  func otherCode() {
    let answers = Lock(0)
    let request = Single.deferred { [scheduler] in
      let isFirst = answers.withLock { answers in
        answers += 1
        return answers == 1
      }
      return Single<Int>.timer(.seconds(5), scheduler: scheduler).map { _ in
        if isFirst { throw NetworkError.statusCode(Response(statusCode: 401, data: Data())) }
        return 200
      }
    }
    let begun = PublishSubject<Int>()
    let renewal = Single<Int>.timer(.seconds(20), scheduler: scheduler)
    let refresher = TokenRefresher {
      begun.onNext(0)
      return renewal.map { _ in }
    }
    let other = scheduler.createObserver(Int.self)
    _ = begun.flatMap { _ in request.refreshingToken(with: refresher) }.subscribe(other)
    let result = scheduler.start { request.refreshingToken(with: refresher).asObservable() }
    #expect(result.events == [.next(230, 200), .completed(230)])
    #expect(other.events == [.next(230, 200)])
  }

  @Test("a request in the refresh of another refresher waits for the refresh of its own one")
  func twoRefreshers() {
    let wait = Single<Int>.timer(.seconds(50), scheduler: scheduler).map { _ in }
    let inner = TokenRefresher { wait }
    let renewal = scheduler.createColdObservable([.next(5, 1), .completed(5)])
    let renewing = renewal.asSingle().refreshingToken(with: inner).map { _ in }
    let outer = TokenRefresher { renewing }
    let request = refused()
    for (start, refresher) in [(200, inner), (205, outer)] {
      scheduler.scheduleAt(start) {
        _ = request.refreshingToken(with: refresher).subscribe(onFailure: { _ in })
      }
    }
    scheduler.start()
    // The inner refresh lasts from 210 to 260, and the outer one begins at 215.
    #expect(renewal.subscriptions == [Subscription(260, 265)])
  }

  @Test("ends after its limit if it waits for itself unrecognized")
  func unrecognized() {
    let box = RefresherBox()
    let request = refused(after: 5)
    let refresher = TokenRefresher(longestRefresh: .seconds(30), scheduler: scheduler) {
      guard let refresher = box.refresher else { return .just(()) }
      // A subscription of its own carries no context.
      return Single.create { request.refreshingToken(with: refresher).map { _ in }.subscribe($0) }
    }
    box.refresher = refresher
    let result = scheduler.start { refused().refreshingToken(with: refresher).asObservable() }
    #expect(result.events.map(\.time) == [240])
    let error = result.events.first?.value.error
    #expect((error as? RefreshTimeoutError)?.limit == .seconds(30))
    box.refresher = nil
  }

  @Test("is disposed at its limit before its waiters get the error")
  func disposedAtLimit() {
    let isDisposed = Lock(false)
    let renewal = Single<Void>.create { _ in Disposables.create { isDisposed.withLock { $0 = true } } }
    let refresher = TokenRefresher(longestRefresh: .seconds(30), scheduler: scheduler) { renewal }
    let seen = Lock<Bool?>(nil)
    let request = refused().refreshingToken(with: refresher).asObservable().do(onError: { _ in
      seen.withLock { $0 = isDisposed.withLock { $0 } }
    })
    let result = scheduler.start { request }
    #expect(result.events.map(\.time) == [240])
    #expect(seen.withLock { $0 } == true)
  }

  @Test("has a limit of two minutes by default")
  func usualLimit() {
    let renewal = Single<Void>.create { _ in Disposables.create() }
    let refresher = TokenRefresher(scheduler: scheduler) { renewal }
    let result = scheduler.start(disposed: 1_000) {
      refused().refreshingToken(with: refresher).asObservable()
    }
    #expect(result.events.map(\.time) == [330])
    #expect((result.events.first?.value.error as? RefreshTimeoutError)?.limit == .seconds(120))
  }

  @Test("may take any time without a limit")
  func unlimited() {
    let isRefused = Lock(true)
    let request = Single.deferred { [scheduler] in
      let isFirst = isRefused.withLock { isRefused in
        defer { isRefused = false }
        return isRefused
      }
      return Single<Int>.timer(.seconds(1), scheduler: scheduler).map { _ in
        if isFirst { throw NetworkError.statusCode(Response(statusCode: 401, data: Data())) }
        return 200
      }
    }
    let renewal = Single<Int>.timer(.seconds(600), scheduler: scheduler).map { _ in }
    let refresher = TokenRefresher(longestRefresh: .never, scheduler: scheduler) { renewal }
    let result = scheduler.start(disposed: 2_000) {
      request.refreshingToken(with: refresher).asObservable()
    }
    #expect(result.events == [.next(802, 200), .completed(802)])
  }

  @Test("needs no other refresh if its request is not refused")
  func accepted() {
    let box = RefresherBox()
    let done = Lock(0)
    let request = refused()
    let renewal = Single<Int>.timer(.seconds(10), scheduler: scheduler).map { _ in 1 }
    let refresher = TokenRefresher {
      guard let refresher = box.refresher else { return .just(()) }
      return renewal.refreshingToken(with: refresher).map { _ in done.withLock { $0 += 1 } }
    }
    box.refresher = refresher
    let result = scheduler.start { request.refreshingToken(with: refresher).asObservable() }
    #expect(done.withLock { $0 } == 1)
    // The caller receives the second refusal.
    #expect(result.events.map(\.time) == [230])
    #expect((result.events.first?.value.error as? NetworkError)?.response?.statusCode == 401)
    box.refresher = nil
  }
}

import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("circuitBreaker(_:)")
struct CircuitBreakerTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let error = NetworkError.underlying(TransferError.timedOut(after: .seconds(1)), nil)

  private func breaker(after failures: Int = 1) -> CircuitBreaker {
    CircuitBreaker(
      opensAt: .consecutiveFailures(failures), probeWait: .seconds(20),
      scheduler: scheduler.asDelayScheduler())
  }

  private func failing() -> TestableObservable<Int> {
    scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
  }

  @Test("refuses without a subscription while the breaker is open, with the time until the next probe")
  func refusal() {
    let (source, breaker) = (failing(), breaker())
    let refused = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(215) { _ = source.circuitBreaker(breaker).subscribe(refused) }
    _ = scheduler.start { source.circuitBreaker(breaker) }
    #expect(source.subscriptions == [Subscription(200, 210)])
    #expect(refused.events.map(\.time) == [215])
    #expect(
      refused.events.first?.value.error.refusal == .circuitOpen(timeUntilProbe: .seconds(15)))
  }

  @Test("each attempt of a later retry is a call, and a refused call ends the retry")
  func retries() {
    let (source, breaker) = (failing(), breaker(after: 2))
    let result = scheduler.start {
      source.circuitBreaker(breaker)
        .retry(backoff: .constant(.seconds(5)), maxAttempts: 10, when: isTransient, scheduler: scheduler)
    }
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(215, 225)])
    #expect(result.events.map(\.time) == [230])
    #expect(result.events.first?.value.error.refusal != nil)
  }

  @Test("by default, a breaker opens only after twenty calls, although all have failed")
  func usualThreshold() {
    let breaker = CircuitBreaker(scheduler: scheduler.asDelayScheduler())
    let call = Observable<Int>.error(error).circuitBreaker(breaker)
    for _ in 0..<19 { _ = call.subscribe(onError: { _ in }) }
    #expect(breaker.state == .closed)
    _ = call.subscribe(onError: { _ in })
    #expect(breaker.state == .open)
  }

  @Test("the states are an observable: closed, open, half open and closed again")
  func states() {
    let breaker = breaker()
    let states = scheduler.createObserver(CircuitBreaker.State.self)
    let subscription = breaker.rx.state.subscribe(states)
    let (failing, sound) = (failing(), scheduler.createColdObservable([.next(10, 1), .completed(10)]))
    scheduler.scheduleAt(200) { _ = failing.circuitBreaker(breaker).subscribe(onError: { _ in }) }
    scheduler.scheduleAt(230) { _ = sound.circuitBreaker(breaker).subscribe() }
    scheduler.scheduleAt(300) { subscription.dispose() }
    scheduler.scheduleAt(310) { _ = failing.circuitBreaker(breaker).subscribe(onError: { _ in }) }
    scheduler.start()
    #expect(
      states.events == [.next(0, .closed), .next(210, .open), .next(230, .halfOpen), .next(240, .closed)])
    #expect(breaker.state == .open)
  }

  @Test("a subscription to the states keeps the breaker of its origin")
  func observedBreaker() {
    let breakers = PerOrigin(capacity: 2) { CircuitBreaker(opensAt: .consecutiveFailures(1)) }
    var states: [CircuitBreaker.State] = []
    let subscription = breakers["http://a"].rx.state.subscribe(onNext: { states.append($0) })
    for host in ["b", "c", "d"] { _ = breakers["http://\(host)"] }
    breakers["http://a"].isolate()
    #expect(states.count == 2)
    subscription.dispose()
  }

  @Test("a dispose before the first element does not count, and allows the next probe")
  func dispose() {
    let breaker = breaker()
    let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let failing = failing()
    scheduler.scheduleAt(100) { _ = failing.circuitBreaker(breaker).subscribe(onError: { _ in }) }
    _ = scheduler.start(disposed: 205) { source.circuitBreaker(breaker) }
    #expect(source.subscriptions == [Subscription(200, 205)])
    #expect(breaker.state == .halfOpen)
    // A probe that is disposed after its element has succeeded.
    _ = source.circuitBreaker(breaker).take(1).subscribe()
    scheduler.start()
    #expect(breaker.state == .closed)
  }

  @Test("a sequence that completes without an element has succeeded")
  func emptySequence() {
    let breaker = breaker()
    let empty = scheduler.createColdObservable([Recorded<Event<Int>>.completed(10)])
    let failing = failing()
    scheduler.scheduleAt(200) { _ = failing.circuitBreaker(breaker).subscribe(onError: { _ in }) }
    scheduler.scheduleAt(230) { _ = empty.circuitBreaker(breaker).subscribe() }
    scheduler.start()
    #expect(empty.subscriptions == [Subscription(230, 240)])
    #expect(breaker.state == .closed)
  }

  @Test("a stream that is left after its first element has succeeded")
  func leftStream() {
    let breaker = breaker(after: 2)
    let (failing, endless) = (failing(), scheduler.createColdObservable([Recorded.next(10, 1)]))
    scheduler.scheduleAt(200) { _ = failing.circuitBreaker(breaker).subscribe(onError: { _ in }) }
    scheduler.scheduleAt(220) { _ = endless.circuitBreaker(breaker).take(1).subscribe() }
    scheduler.scheduleAt(240) { _ = failing.circuitBreaker(breaker).subscribe(onError: { _ in }) }
    scheduler.start()
    // The two failures are not in a row.
    #expect(breaker.state == .closed)
  }

  @Test(
    "time-outs outside of the breaker open it if its calls are then slow",
    arguments: [nil, Duration.seconds(2), Duration.seconds(3)])
  func outerTimeouts(slowCallDuration: Duration?) {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(30), slowCallDuration: slowCallDuration,
      scheduler: scheduler.asDelayScheduler())
    for _ in 0..<30 {
      _ = Single<Int>.never().circuitBreaker(breaker).requestTimeout(.seconds(3), scheduler: scheduler)
        .subscribe()
    }
    scheduler.advanceTo(10)
    #expect(breaker.state == (slowCallDuration == .seconds(2) ? .open : .closed))
  }

  @Test("of a sequence that is the probe, the first element counts, and not a progress without a response")
  func longProbe() {
    let breaker = breaker()
    let failing = failing()
    _ = failing.circuitBreaker(breaker).subscribe(onError: { _ in })
    scheduler.advanceTo(100)
    let elements = PublishSubject<ProgressResponse>()
    let probe = elements.circuitBreaker(breaker).subscribe()
    elements.onNext(ProgressResponse())
    #expect(breaker.state == .halfOpen)
    elements.onNext(ProgressResponse(response: Response(statusCode: 503, data: Data())))
    #expect(breaker.state == .open)
    scheduler.advanceTo(300)
    let stream = Observable.just(1).concat(Observable.never()).circuitBreaker(breaker).subscribe()
    #expect(breaker.state == .closed)
    probe.dispose()
    stream.dispose()
    #expect(breaker.state == .closed)
  }

  @Test("a probe that is disposed after a progress without a response does not count")
  func disposedUpload() {
    let breaker = breaker()
    _ = failing().circuitBreaker(breaker).subscribe(onError: { _ in })
    scheduler.advanceTo(100)
    let elements = PublishSubject<ProgressResponse>()
    let probe = elements.circuitBreaker(breaker).subscribe()
    elements.onNext(ProgressResponse())
    probe.dispose()
    #expect(breaker.state == .halfOpen)
  }

  @Test(
    "a response with an error status counts like its error, with or without a filter",
    arguments: [(200, false), (404, false), (503, true)])
  func answers(status: Int, opens: Bool) {
    let answer = Single.just(Response(statusCode: status, data: Data()))
    let unfiltered = breaker()
    var elements = 0
    _ = answer.circuitBreaker(unfiltered).subscribe(onSuccess: { _ in elements += 1 })
    #expect(elements == 1)
    #expect(unfiltered.state == (opens ? .open : .closed))
    let filtered = breaker()
    _ = answer.filterSuccessfulStatusCodes().circuitBreaker(filtered).subscribe(onFailure: { _ in })
    #expect(filtered.state == unfiltered.state)
  }

  @Test(
    "the caller's rule decides about a status of 400 or more, and only about that",
    arguments: [(399, false), (400, true)])
  func leastErrorStatus(status: Int, opens: Bool) {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), scheduler: scheduler.asDelayScheduler(), isFailure: { _ in true })
    _ = Single.just(Response(statusCode: status, data: Data())).circuitBreaker(breaker).subscribe()
    #expect(breaker.state == (opens ? .open : .closed))
  }

  @Test("an error status counts although a better response follows it in the sequence")
  func laterResponse() {
    let breaker = breaker()
    let answers = Observable.of(503, 200).map { Response(statusCode: $0, data: Data()) }
    _ = answers.circuitBreaker(breaker).subscribe()
    #expect(breaker.state == .open)
  }

  @Test("a single that is refused fails with the error of a refused request")
  func single() {
    let breaker = breaker()
    let (failing, scheduler) = (failing(), scheduler)
    let result = scheduler.start {
      failing.asSingle().circuitBreaker(breaker).asObservable()
        .catch { _ in Single.just(1).circuitBreaker(breaker).asObservable() }
        .catch { error in .just(Optional(error).refusal == nil ? 3 : 2) }
    }
    #expect(result.events == [.next(210, 2), .completed(210)])
  }
}

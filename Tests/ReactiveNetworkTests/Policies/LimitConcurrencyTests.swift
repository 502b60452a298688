import Dispatch
import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("limitConcurrency(_:priority:longestWait:)", .timeLimit(.minutes(5)))
struct LimitConcurrencyTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func limit(_ maxRunning: Int, maxWaiting: Int = 100) -> ConcurrencyLimit {
    ConcurrencyLimit(maxRunning, maxWaiting: maxWaiting, scheduler: scheduler.asDelayScheduler())
  }

  private func source(_ element: Int = 1) -> TestableObservable<Int> {
    scheduler.createColdObservable([.next(10, element), .completed(10)])
  }

  @Test("subscribes when a place is free, in order")
  func order() {
    let limit = limit(2)
    let sources = (1...5).map { source($0) }
    let result = scheduler.start {
      Observable.merge(sources.map { $0.limitConcurrency(limit) })
    }
    #expect(sources.map { $0.subscriptions.first?.subscribe } == [200, 200, 211, 211, 222])
    let elements: [Recorded<Event<Int>>] = [
      .next(210, 1), .next(210, 2), .next(221, 3), .next(221, 4), .next(232, 5), .completed(232),
    ]
    #expect(result.events == elements)
    #expect(limit.runningCount == 0)
  }

  @Test("an adaptive limit reads the status of a response, and of one that ends its progress")
  func statuses() {
    func places(after source: Observable<some Sendable>) -> Int {
      let limit = ConcurrencyLimit(
        10, adapting: .aimd(slowest: .seconds(1), within: 1...20), scheduler: scheduler.asDelayScheduler())
      _ = source.limitConcurrency(limit).subscribe()
      return limit.maxRunning
    }
    for (status, expected) in [(503, 7), (404, 10)] {
      let response = Response(statusCode: status, data: Data())
      #expect(places(after: .just(response)) == expected)
      #expect(places(after: .just(ProgressResponse(response: response))) == expected)
    }
    #expect(places(after: .just(ProgressResponse())) == 10)
  }

  @Test("a call that is disposed after its response adapts a limit, and an earlier disposal does not")
  func left() {
    func places(after response: Response?) -> Int {
      let limit = ConcurrencyLimit(
        1, adapting: .aimd(slowest: .seconds(1), within: 1...20, decrease: 0.1),
        scheduler: scheduler.asDelayScheduler())
      let source = Observable.from(optional: response).concat(Observable<Response>.never())
      source.limitConcurrency(limit).subscribe().dispose()
      return limit.maxRunning
    }
    #expect(places(after: Response(statusCode: 200, data: Data())) == 2)
    #expect(places(after: Response(statusCode: 503, data: Data())) == 1)
    #expect(places(after: nil) == 1)
  }

  @Test("a time-out and an overloaded server's status are signs of overload also if they are errors")
  func failures() {
    let timedOut = NetworkError.underlying(TransferError.timedOut(after: .seconds(1)), nil)
    let refused = NetworkError.statusCode(Response(statusCode: 503, data: Data()))
    for error in [timedOut, refused] {
      let limit = ConcurrencyLimit(
        10, adapting: .aimd(slowest: .seconds(1), within: 1...20), scheduler: scheduler.asDelayScheduler())
      _ = Observable<Int>.error(error).limitConcurrency(limit).subscribe(onError: { _ in })
      #expect(limit.maxRunning == 7)
    }
  }

  @Test("a time-out is a sign of overload, and another error says as much as the element before it")
  func otherErrors() {
    func places(after source: Observable<Int>) -> [Int] {
      [1, 4].map { places in
        let limit = ConcurrencyLimit(
          places, adapting: .aimd(slowest: .seconds(1), within: 1...20, decrease: 0.5),
          scheduler: scheduler.asDelayScheduler())
        _ = source.limitConcurrency(limit).subscribe(onError: { _ in })
        return limit.maxRunning
      }
    }
    #expect(places(after: .error(RxError.timeout)) == [1, 2])
    #expect(places(after: .error(RxError.noElements)) == [1, 4])
    #expect(places(after: Observable.just(1).concat(Observable<Int>.error(RxError.noElements))) == [2, 4])
  }

  @Test("a sequence that completes without an element has had a response")
  func emptySequence() {
    let limit = ConcurrencyLimit(
      1, adapting: .aimd(slowest: .seconds(1), within: 1...20), scheduler: scheduler.asDelayScheduler())
    _ = Observable<Int>.empty().limitConcurrency(limit).subscribe()
    #expect(limit.maxRunning == 2)
  }

  @Test("an upload that is disposed after some progress has had no response")
  func leftUpload() {
    let limit = ConcurrencyLimit(
      1, adapting: .aimd(slowest: .seconds(1), within: 1...20), scheduler: scheduler.asDelayScheduler())
    let upload = Observable.just(ProgressResponse()).concat(Observable<ProgressResponse>.never())
    upload.limitConcurrency(limit).subscribe().dispose()
    #expect(limit.maxRunning == 1)
  }

  @Test("the latency of a sequence ends with its first element")
  func latencyOfSequence() {
    let limit = ConcurrencyLimit(
      4, adapting: .aimd(slowest: .seconds(5), within: 1...4), scheduler: scheduler.asDelayScheduler())
    let source = scheduler.createColdObservable([.next(1, 1), .completed(50)])
    _ = scheduler.start { source.limitConcurrency(limit) }
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(limit.maxRunning == 4)
  }

  @Test("the higher priority is subscribed first, for singles as well")
  func priority() {
    let limit = limit(1)
    let sources = (1...3).map { source($0) }
    let result = scheduler.start {
      Observable.merge([
        sources[0].asSingle().limitConcurrency(limit).asObservable(),
        sources[1].asSingle().limitConcurrency(limit).asObservable(),
        sources[2].asSingle().limitConcurrency(limit, priority: 1).asObservable(),
      ])
    }
    #expect(result.events.compactMap(\.value.element) == [1, 3, 2])
  }

  @Test("disposing a waiting sequence removes it from the queue; disposing a running one frees its place")
  func dispose() {
    let limit = limit(1)
    let sources = (1...3).map { _ in source() }
    var subscriptions: [any Disposable] = []
    for source in sources { subscriptions.append(source.limitConcurrency(limit).subscribe()) }
    #expect(limit.waitingCount == 2)
    subscriptions[1].dispose()
    #expect(limit.waitingCount == 1)
    #expect(sources[2].subscriptions.isEmpty)
    subscriptions[0].dispose()
    #expect(limit.waitingCount == 0)
    scheduler.start()
    #expect(sources[2].subscriptions.count == 1)
    #expect(sources[1].subscriptions.isEmpty)
    #expect(limit.runningCount == 0)
  }

  @Test("a sequence that finds the queue full fails at once, without a subscription")
  func overflow() {
    let limit = limit(1, maxWaiting: 0)
    let (first, second) = (source(), source())
    _ = first.limitConcurrency(limit).subscribe()
    let result = scheduler.start(disposed: 205) { second.limitConcurrency(limit) }
    // The first source has ended at 10, so its place is free.
    #expect(second.subscriptions == [Subscription(200, 205)])
    #expect(result.events.isEmpty)
    _ = first.limitConcurrency(limit).subscribe()
    let refused = scheduler.record(second.limitConcurrency(limit))
    #expect(refused.events.first?.value.error.refusal == .queueFull(maxWaiting: 0))
    #expect(second.subscriptions.count == 1)
  }

  @Test("a sequence that waits too long for a place fails, in virtual time")
  func longestWait() {
    let limit = limit(1)
    let (first, second) = (scheduler.createColdObservable([Recorded<Event<Int>>.completed(500)]), source())
    let result = scheduler.start {
      Observable.merge([
        first.limitConcurrency(limit).catchAndReturn(0),
        second.limitConcurrency(limit, longestWait: .seconds(30)),
      ])
    }
    #expect(result.events.map(\.time) == [230])
    #expect(result.events.first?.value.error.refusal == .waitedTooLong(.seconds(30)))
    #expect(second.subscriptions.isEmpty)
    // The merge has disposed the first source.
    #expect(limit.runningCount == 0)
  }

  @Test("a wait without a limit needs no timer", arguments: [nil, RxTimeInterval.never])
  func unlimitedWait(longestWait: RxTimeInterval?) {
    let time = ManualDelayScheduler()
    let limit = ConcurrencyLimit(1, scheduler: time)
    let running = Observable<Int>.never().limitConcurrency(limit).subscribe()
    let waiting = source().limitConcurrency(limit, longestWait: longestWait).subscribe()
    #expect(limit.waitingCount == 1)
    #expect(time.pendingCount == 0)
    waiting.dispose()
    running.dispose()
  }

  @Test("half a minute is the longest wait of a single by default")
  func usualWaitOfSingle() {
    let (limit, source) = (limit(1), source())
    let running = Observable<Int>.never().limitConcurrency(limit).subscribe()
    let result = scheduler.start { source.asSingle().limitConcurrency(limit).asObservable() }
    #expect(result.events.map(\.time) == [230])
    #expect(result.events.first?.value.error.refusal == .waitedTooLong(.seconds(30)))
    #expect(source.subscriptions.isEmpty)
    running.dispose()
  }

  @Test("half a minute is the longest wait of a sequence by default")
  func usualWait() {
    let (limit, source) = (limit(1), source())
    let running = Observable<Int>.never().limitConcurrency(limit).subscribe()
    let result = scheduler.start { source.limitConcurrency(limit) }
    #expect(result.events.map(\.time) == [230])
    #expect(result.events.first?.value.error.refusal == .waitedTooLong(.seconds(30)))
    #expect(source.subscriptions.isEmpty)
    running.dispose()
  }

  @Test("the place is free when the end is delivered, so that a retry needs no second place")
  func ends() {
    let limit = limit(1, maxWaiting: 0)
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, RxError.unknown)])
    let result = scheduler.start { source.limitConcurrency(limit).retry(3) }
    #expect(source.subscriptions.map(\.subscribe) == [200, 210, 220])
    #expect(result.events.map(\.time) == [230])
    #expect(result.events.first?.value.error is RxError)
    let single = self.source().asSingle().limitConcurrency(limit)
    let chain = scheduler.start(created: 1_100, subscribed: 1_200, disposed: 2_000) {
      single.flatMap { _ in single }.asObservable()
    }
    #expect(chain.events == [.next(1_220, 1), .completed(1_220)])
  }

  @Test("the place of a source that ends within its subscription is free when the end is delivered")
  func synchronousEnd() {
    let limit = ConcurrencyLimit(1)
    var running: [Int] = []
    let ends = [Observable.just(1), Observable.error(RxError.timeout)]
    for source in ends {
      _ = source.limitConcurrency(limit).subscribe(
        onError: { _ in running.append(limit.runningCount) },
        onCompleted: { running.append(limit.runningCount) })
    }
    #expect(running == [0, 0])
  }

  @Test("a handler can wait for the limit in which it runs, however its source got its place")
  func handlerThatWaits() async {
    let limit = ConcurrencyLimit(1)
    let first = PublishSubject<Int>()
    let running = first.limitConcurrency(limit).subscribe()
    let result = await withCheckedContinuation { done in
      // Waits for the place of the first sequence, and ends within its subscription.
      let waiting = Single.just(1).limitConcurrency(limit).subscribe(onSuccess: { _ in
        done.resume(
          returning: Single.just(2).limitConcurrency(limit).toBlocking(timeout: 60).materialize())
      })
      Thread.detachNewThread {
        first.onCompleted()
        withExtendedLifetime(waiting) {}
      }
    }
    guard case .completed([2]) = result else {
      Issue.record("\(result)")
      return
    }
    running.dispose()
  }

  @Test("a sequence ends even if the handler of the next sequence waits for that end")
  func nextHandlerThatWaits() async {
    let limit = ConcurrencyLimit(1)
    let first = PublishSubject<Int>()
    let hasEnded = DispatchSemaphore(value: 0)
    let running = first.limitConcurrency(limit).subscribe(onCompleted: { hasEnded.signal() })
    let isInTime = await withCheckedContinuation { done in
      let waiting = Single.just(1).limitConcurrency(limit).subscribe(onSuccess: { _ in
        done.resume(returning: hasEnded.wait(timeout: .now() + .seconds(60)) == .success)
      })
      Thread.detachNewThread {
        first.onCompleted()
        withExtendedLifetime(waiting) {}
      }
    }
    #expect(isInTime)
    running.dispose()
  }
}

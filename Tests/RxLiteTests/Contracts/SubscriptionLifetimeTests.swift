import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// Everything that a subscription holds is released when it ends, however it ends.
@Suite("Objects of a subscription that has ended", .timeLimit(.minutes(5)))
struct SubscriptionLifetimeTests {
  enum End: CaseIterable, Sendable { case completed, error, disposed }

  private struct OperatorChain: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<TrackedObject>, TrackedObject) -> Observable<TrackedObject>
  }

  private static let chains: [OperatorChain] = [
    OperatorChain(testDescription: "map") { source, held in source.map { _ in held } },
    OperatorChain(testDescription: "filter") { source, held in source.filter { _ in held.value == 0 } },
    OperatorChain(testDescription: "flatMap") { source, held in
      source.flatMap { element in Observable<TrackedObject>.never().startWith(element, held) }
    },
    OperatorChain(testDescription: "flatMapLatest") { source, held in
      source.flatMapLatest { element in Observable<TrackedObject>.never().startWith(element, held) }
    },
    OperatorChain(testDescription: "flatMapFirst") { source, held in
      source.flatMapFirst { element in Observable<TrackedObject>.never().startWith(element, held) }
    },
    OperatorChain(testDescription: "concatMap") { source, held in
      source.concatMap { element in Observable<TrackedObject>.never().startWith(element, held) }
    },
    OperatorChain(testDescription: "merge") { source, held in
      .merge(source, Observable<TrackedObject>.never().startWith(held))
    },
    OperatorChain(testDescription: "concat") { source, held in source.concat(Observable.just(held)) },
    OperatorChain(testDescription: "combineLatest") { source, held in
      Observable.combineLatest(source, Observable<TrackedObject>.never().startWith(held)) { first, _ in first
      }
    },
    OperatorChain(testDescription: "zip") { source, held in
      Observable.zip(source, Observable<TrackedObject>.never().startWith(held, held, held)) { first, _ in
        first
      }
    },
    OperatorChain(testDescription: "withLatestFrom") { source, held in
      source.withLatestFrom(Observable<TrackedObject>.never().startWith(held)) { first, _ in first }
    },
    OperatorChain(testDescription: "take(until:)") { source, held in
      source.take(until: Observable<TrackedObject>.never().filter { _ in held.value == 0 })
    },
    OperatorChain(testDescription: "scan") { source, held in source.scan(held) { _, element in element } },
    OperatorChain(testDescription: "distinctUntilChanged") { source, held in
      source.distinctUntilChanged { $0 === $1 && held.value == 0 }
    },
    OperatorChain(testDescription: "catch") { source, held in
      source.catch { _ in Observable<TrackedObject>.never().startWith(held) }
    },
    OperatorChain(testDescription: "retry") { source, held in source.startWith(held).retry(2) },
    OperatorChain(testDescription: "retry(when:)") { source, held in
      source.retry { (errors: Observable<any Error>) in errors.filter { _ in held.value == 1 } }
    },
    OperatorChain(testDescription: "do") { source, held in source.do(onNext: { _ in _ = held.value }) },
    OperatorChain(testDescription: "share") { source, held in source.startWith(held).share() },
    OperatorChain(testDescription: "share(replay:)") { source, held in source.startWith(held).share(replay: 2)
    },
    OperatorChain(testDescription: "create") { source, held in
      .create { observer in
        observer.onNext(held)
        return source.subscribe(observer)
      }
    },
    OperatorChain(testDescription: "zip of a list") { source, held in
      Observable.zip([source, Observable<TrackedObject>.never().startWith(held, held)]) { $0[0] }
    },
    OperatorChain(testDescription: "amb") { source, held in
      source.amb(Observable<TrackedObject>.never().filter { _ in held.value == 0 })
    },
    OperatorChain(testDescription: "switchLatest") { source, held in
      source.map { Observable<TrackedObject>.never().startWith($0, held) }.switchLatest()
    },
    OperatorChain(testDescription: "merge(maxConcurrent:)") { source, held in
      source.map { Observable<TrackedObject>.never().startWith($0, held) }.merge(maxConcurrent: 1)
    },
    OperatorChain(testDescription: "concat of chains and deferred sequences") { source, held in
      .concat([.just(held), .concat([.deferred { source }, .deferred { .just(held) }]), .just(held)])
    },
    OperatorChain(testDescription: "catch(sequence:)") { source, held in
      .catch(sequence: [source, Observable<TrackedObject>.never().startWith(held)])
    },
    OperatorChain(testDescription: "retry(when:) with a notifier that waits") { source, held in
      source.startWith(held).retry { (errors: Observable<any Error>) in
        errors.flatMap { _ in Observable<TrackedObject>.never().startWith(held).skip(1) }
      }
    },
    OperatorChain(testDescription: "sample") { source, held in
      .merge(source, source.sample(Observable<TrackedObject>.never().startWith(held)))
    },
    OperatorChain(testDescription: "groupBy") { source, held in
      source.groupBy { _ in held.value }.flatMap { $0.asObservable() }
    },
    OperatorChain(testDescription: "publish and refCount") { source, held in
      source.startWith(held).publish().refCount()
    },
    OperatorChain(testDescription: "replayAll and refCount") { source, held in
      source.startWith(held).replayAll().refCount()
    },
    OperatorChain(testDescription: "share(replay:scope:) forever") { source, held in
      source.startWith(held).share(replay: 2, scope: .forever)
    },
    OperatorChain(testDescription: "multicast with a selector") { source, held in
      source.multicast({ ReplaySubject<TrackedObject>.createUnbounded() }) { .merge($0, .just(held)) }
    },
    OperatorChain(testDescription: "take(until:) that fires in the end") { source, held in
      source.take(until: source.skip(2).filter { _ in held.value == 0 })
    },
    OperatorChain(testDescription: "andThen") { source, held in
      Completable.empty().do(onCompleted: { _ = held.value }).andThen(source)
    },
    OperatorChain(testDescription: "Infallible") { source, held in
      source.asInfallible(onErrorJustReturn: held).scan(held) { _, element in element }.asObservable()
    },
    OperatorChain(testDescription: "asSingle") { source, held in
      source.map { _ in held }.asSingle().asObservable()
    },
  ]

  @Test("elements, closures and inner sequences are released at the end", arguments: chains, End.allCases)
  private func released(chain: OperatorChain, end: End) {
    let liveCount = TrackedObject.LiveCount()
    do {
      let subject = PublishSubject<TrackedObject>()
      var elements = 0
      let subscription: any Disposable
      do {
        let held = TrackedObject(in: liveCount)
        subscription = chain.apply(subject, held).subscribe(
          onNext: { _ in elements += 1 }, onError: { _ in })
      }
      subject.onNext(TrackedObject(in: liveCount))
      subject.onNext(TrackedObject(in: liveCount))
      #expect(elements > 0 || chain.testDescription == "asSingle")
      switch end {
      case .completed:
        subject.onCompleted()
        // Inner sequences that never end keep the merged sequences alive, as intended.
        subscription.dispose()
      case .error:
        subject.onError(TestError.one)
        subscription.dispose()
      case .disposed:
        subscription.dispose()
      }
      #expect(!subject.hasObservers)
    }
    #expect(liveCount.value == 0)
  }

  @Test("a source that has ended is released even if the subscription is kept", arguments: [false, true])
  func releasedAtTheEnd(isError: Bool) {
    let liveCount = TrackedObject.LiveCount()
    let subject = PublishSubject<Int>()
    let subscription: any Disposable
    do {
      let held = TrackedObject(in: liveCount)
      subscription = subject.map { $0 + held.value }.flatMapLatest { Observable.just($0 + held.value) }
        .subscribe(
          onNext: { _ in _ = held.value }, onError: { _ in _ = held.value }, onDisposed: { _ = held.value })
    }
    subject.onNext(1)
    #expect(liveCount.value == 1)
    if isError { subject.onError(TestError.one) } else { subject.onCompleted() }
    #expect(liveCount.value == 0)
    subscription.dispose()
  }

  @Test("a subscription with an object does not keep the object")
  func withObject() {
    let liveCount = TrackedObject.LiveCount()
    let subject = PublishSubject<Int>()
    var received = 0
    let subscription: any Disposable
    do {
      let object = TrackedObject(in: liveCount)
      subscription = subject.subscribe(with: object, onNext: { _, element in received += element })
      subject.onNext(1)
    }
    #expect(liveCount.value == 0)
    subject.onNext(10)
    #expect(received == 1)
    subscription.dispose()
  }

  @Test("releasing a subject releases its observers")
  func subject() {
    let liveCount = TrackedObject.LiveCount()
    do {
      let subject = PublishSubject<Int>()
      let held = TrackedObject(in: liveCount)
      _ = subject.subscribe(onNext: { _ in _ = held.value })
      #expect(liveCount.value == 1)
    }
    #expect(liveCount.value == 0)
  }

  @Test("releasing a bag ends its subscriptions")
  func bag() {
    let liveCount = TrackedObject.LiveCount()
    let subject = PublishSubject<Int>()
    do {
      let bag = DisposeBag()
      let held = TrackedObject(in: liveCount)
      subject.subscribe(onNext: { _ in _ = held.value }).disposed(by: bag)
      #expect(subject.hasObservers)
    }
    #expect(!subject.hasObservers)
    #expect(liveCount.value == 0)
  }

  @Test("a list is released after its disposal even if the observer of one part is kept alive")
  func abandonedList() {
    let liveCount = TrackedObject.LiveCount()
    nonisolated(unsafe) var kept: AnyObserver<Int>?
    let subscription: any Disposable
    do {
      let held = TrackedObject(in: liveCount)
      let part = Observable<Int>.create { observer in
        kept = observer
        return Disposables.create()
      }
      subscription = Observable.concat([part, .just(held.value).filter { _ in held.value == 0 }]).subscribe()
    }
    #expect(liveCount.value == 1)
    subscription.dispose()
    #expect(liveCount.value == 0)
    #expect(kept != nil)
  }

  @Test("the subscriptions of blocking calls, tasks and streams are released")
  func bridges() async throws {
    let liveCount = TrackedObject.LiveCount()
    do {
      let held = TrackedObject(7, in: liveCount)
      let source = Observable.of(1, 2).map { $0 * held.value }
      #expect(try source.toBlocking().toArray() == [7, 14])
      #expect(try await source.take(1).asSingle().value == 7)
      var elements: [Int] = []
      for try await element in source.values { elements.append(element) }
      #expect(elements == [7, 14])
      let single = Single.create { held.value }
      #expect(try await single.value == 7)
    }
    // The last task may take a moment to end.
    while liveCount.value > 0 && !Task.isCancelled { await Task.yield() }
    #expect(liveCount.value == 0)
  }
}

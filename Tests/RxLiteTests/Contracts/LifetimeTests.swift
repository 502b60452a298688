import RxLite
import RxLiteTesting
import Testing

/// Everything that a subscription holds is released when it ends, however it ends.
@Suite("nothing outlives its subscription", .timeLimit(.minutes(5)))
struct LifetimeTests {
  enum End: CaseIterable, Sendable { case completed, error, disposed }

  private struct Chain: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Tracked>, Tracked) -> Observable<Tracked>
  }

  private static let chains: [Chain] = [
    Chain(testDescription: "map") { source, held in source.map { _ in held } },
    Chain(testDescription: "filter") { source, held in source.filter { _ in held.value == 0 } },
    Chain(testDescription: "flatMap") { source, held in
      source.flatMap { element in Observable<Tracked>.never().startWith(element, held) }
    },
    Chain(testDescription: "flatMapLatest") { source, held in
      source.flatMapLatest { element in Observable<Tracked>.never().startWith(element, held) }
    },
    Chain(testDescription: "flatMapFirst") { source, held in
      source.flatMapFirst { element in Observable<Tracked>.never().startWith(element, held) }
    },
    Chain(testDescription: "concatMap") { source, held in
      source.concatMap { element in Observable<Tracked>.never().startWith(element, held) }
    },
    Chain(testDescription: "merge") { source, held in
      .merge(source, Observable<Tracked>.never().startWith(held))
    },
    Chain(testDescription: "concat") { source, held in source.concat(Observable.just(held)) },
    Chain(testDescription: "combineLatest") { source, held in
      Observable.combineLatest(source, Observable<Tracked>.never().startWith(held)) { first, _ in first }
    },
    Chain(testDescription: "zip") { source, held in
      Observable.zip(source, Observable<Tracked>.never().startWith(held, held, held)) { first, _ in first }
    },
    Chain(testDescription: "withLatestFrom") { source, held in
      source.withLatestFrom(Observable<Tracked>.never().startWith(held)) { first, _ in first }
    },
    Chain(testDescription: "take(until:)") { source, held in
      source.take(until: Observable<Tracked>.never().filter { _ in held.value == 0 })
    },
    Chain(testDescription: "scan") { source, held in source.scan(held) { _, element in element } },
    Chain(testDescription: "distinctUntilChanged") { source, held in
      source.distinctUntilChanged { $0 === $1 && held.value == 0 }
    },
    Chain(testDescription: "catch") { source, held in
      source.catch { _ in Observable<Tracked>.never().startWith(held) }
    },
    Chain(testDescription: "retry") { source, held in source.startWith(held).retry(2) },
    Chain(testDescription: "retry(when:)") { source, held in
      source.retry { (errors: Observable<any Error>) in errors.filter { _ in held.value == 1 } }
    },
    Chain(testDescription: "do") { source, held in source.do(onNext: { _ in _ = held.value }) },
    Chain(testDescription: "share") { source, held in source.startWith(held).share() },
    Chain(testDescription: "share(replay:)") { source, held in source.startWith(held).share(replay: 2) },
    Chain(testDescription: "create") { source, held in
      .create { observer in
        observer.onNext(held)
        return source.subscribe(observer)
      }
    },
    Chain(testDescription: "zip of a list") { source, held in
      Observable.zip([source, Observable<Tracked>.never().startWith(held, held)]) { $0[0] }
    },
    Chain(testDescription: "amb") { source, held in
      source.amb(Observable<Tracked>.never().filter { _ in held.value == 0 })
    },
    Chain(testDescription: "switchLatest") { source, held in
      source.map { Observable<Tracked>.never().startWith($0, held) }.switchLatest()
    },
    Chain(testDescription: "merge(maxConcurrent:)") { source, held in
      source.map { Observable<Tracked>.never().startWith($0, held) }.merge(maxConcurrent: 1)
    },
    Chain(testDescription: "concat of chains and deferred sequences") { source, held in
      .concat([.just(held), .concat([.deferred { source }, .deferred { .just(held) }]), .just(held)])
    },
    Chain(testDescription: "catch(sequence:)") { source, held in
      .catch(sequence: [source, Observable<Tracked>.never().startWith(held)])
    },
    Chain(testDescription: "retry(when:) with a notifier that waits") { source, held in
      source.startWith(held).retry { (errors: Observable<any Error>) in
        errors.flatMap { _ in Observable<Tracked>.never().startWith(held).skip(1) }
      }
    },
    Chain(testDescription: "sample") { source, held in
      .merge(source, source.sample(Observable<Tracked>.never().startWith(held)))
    },
    Chain(testDescription: "groupBy") { source, held in
      source.groupBy { _ in held.value }.flatMap { $0.asObservable() }
    },
    Chain(testDescription: "publish and refCount") { source, held in
      source.startWith(held).publish().refCount()
    },
    Chain(testDescription: "replayAll and refCount") { source, held in
      source.startWith(held).replayAll().refCount()
    },
    Chain(testDescription: "share(replay:scope:) forever") { source, held in
      source.startWith(held).share(replay: 2, scope: .forever)
    },
    Chain(testDescription: "multicast with a selector") { source, held in
      source.multicast({ ReplaySubject<Tracked>.createUnbounded() }) { .merge($0, .just(held)) }
    },
    Chain(testDescription: "take(until:) that fires in the end") { source, held in
      source.take(until: source.skip(2).filter { _ in held.value == 0 })
    },
    Chain(testDescription: "andThen") { source, held in
      Completable.empty().do(onCompleted: { _ = held.value }).andThen(source)
    },
    Chain(testDescription: "Infallible") { source, held in
      source.asInfallible(onErrorJustReturn: held).scan(held) { _, element in element }.asObservable()
    },
    Chain(testDescription: "asSingle") { source, held in source.map { _ in held }.asSingle().asObservable() },
  ]

  @Test("elements, closures and inner sequences are released at the end", arguments: chains, End.allCases)
  private func released(chain: Chain, end: End) {
    let liveCount = Tracked.LiveCount()
    do {
      let subject = PublishSubject<Tracked>()
      var elements = 0
      let subscription: any Disposable
      do {
        let held = Tracked(in: liveCount)
        subscription = chain.apply(subject, held).subscribe(
          onNext: { _ in elements += 1 }, onError: { _ in })
      }
      subject.onNext(Tracked(in: liveCount))
      subject.onNext(Tracked(in: liveCount))
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
    let liveCount = Tracked.LiveCount()
    let subject = PublishSubject<Int>()
    let subscription: any Disposable
    do {
      let held = Tracked(in: liveCount)
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
    let liveCount = Tracked.LiveCount()
    let subject = PublishSubject<Int>()
    var received = 0
    let subscription: any Disposable
    do {
      let object = Tracked(in: liveCount)
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
    let liveCount = Tracked.LiveCount()
    do {
      let subject = PublishSubject<Int>()
      let held = Tracked(in: liveCount)
      _ = subject.subscribe(onNext: { _ in _ = held.value })
      #expect(liveCount.value == 1)
    }
    #expect(liveCount.value == 0)
  }

  @Test("releasing a bag ends its subscriptions")
  func bag() {
    let liveCount = Tracked.LiveCount()
    let subject = PublishSubject<Int>()
    do {
      let bag = DisposeBag()
      let held = Tracked(in: liveCount)
      subject.subscribe(onNext: { _ in _ = held.value }).disposed(by: bag)
      #expect(subject.hasObservers)
    }
    #expect(!subject.hasObservers)
    #expect(liveCount.value == 0)
  }

  @Test("a list is released after its disposal even if the observer of one part is kept alive")
  func abandonedList() {
    let liveCount = Tracked.LiveCount()
    nonisolated(unsafe) var kept: AnyObserver<Int>?
    let subscription: any Disposable
    do {
      let held = Tracked(in: liveCount)
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
    let liveCount = Tracked.LiveCount()
    do {
      let held = Tracked(7, in: liveCount)
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

import RxLite
@testable import RxLiteTestSupport
import Testing

/// A subject keeps only its current observers alive.
@Suite("What subjects keep alive")
struct SubjectLifetimeTests {
  private let liveCount = TrackedObject.LiveCount()

  enum Kind: CaseIterable, Sendable {
    case publish, behavior, replay, async

    func make() -> (source: Observable<Int>, observer: AnyObserver<Int>) {
      switch self {
      case .publish: Self.pair(PublishSubject<Int>())
      case .behavior: Self.pair(BehaviorSubject(value: 0))
      case .replay: Self.pair(ReplaySubject<Int>.create(bufferSize: 1))
      case .async: Self.pair(AsyncSubject<Int>())
      }
    }

    private static func pair<Subject: SubjectType & ObserverType>(
      _ subject: Subject
    ) -> (Observable<Int>, AnyObserver<Int>) where Subject.Element == Int {
      (subject.asObservable(), AnyObserver(subject))
    }
  }

  private func observe(_ source: Observable<Int>) -> any Disposable {
    let tracked = TrackedObject(in: liveCount)
    return source.subscribe(onNext: { _ in _ = tracked })
  }

  @Test("a removed observer is released at once", arguments: Kind.allCases)
  func leaves(kind: Kind) {
    let (source, observer) = kind.make()
    let subscription = observe(source)
    observer.onNext(1)
    #expect(liveCount.value == 1)
    subscription.dispose()
    #expect(liveCount.value == 0)
    observer.onNext(2)
  }

  @Test(
    "observers that subscribe between two elements are released like the first ones", arguments: Kind.allCases
  )
  func joinsBetweenElements(kind: Kind) {
    let (source, observer) = kind.make()
    let first = observe(source)
    observer.onNext(1)
    let second = observe(source)
    observer.onNext(2)
    #expect(liveCount.value == 2)
    first.dispose()
    second.dispose()
    #expect(liveCount.value == 0)
  }

  @Test(
    "an observer that is removed from inside an element is released after it",
    arguments: [Kind.publish, .replay])
  func leavesInside(kind: Kind) {
    let (source, observer) = kind.make()
    let liveCount = liveCount
    func observe() {
      let tracked = TrackedObject(in: liveCount)
      _ = source.do(onNext: { _ in #expect(tracked.value == 0) }).take(1).subscribe()
    }
    observe()
    #expect(liveCount.value == 1)
    observer.onNext(1)
    #expect(liveCount.value == 0)
  }

  @Test("the right observer is removed, in any order", arguments: Kind.allCases)
  func leavesInAnyOrder(kind: Kind) {
    let (source, observer) = kind.make()
    let recorders = (0..<20).map { _ in RecordingObserver<Int>() }
    let subscriptions = recorders.map { source.subscribe($0) }
    let leaving = [19, 0, 7, 8, 6, 13, 1, 18]
    for index in leaving {
      subscriptions[index].dispose()
      subscriptions[index].dispose()
    }
    observer.onNext(1)
    observer.onCompleted()
    for (index, recorder) in recorders.enumerated() {
      #expect(recorder.events.contains(.completed) != leaving.contains(index))
    }
  }

  @Test(
    "releasing a subject releases its observers, even if a subscription is kept",
    arguments: Kind.allCases)
  func subjectReleased(kind: Kind) {
    let subscription: any Disposable
    do {
      let (source, observer) = kind.make()
      subscription = observe(source)
      observer.onNext(1)
      withExtendedLifetime((source, observer)) { #expect(liveCount.value == 1) }
    }
    #expect(liveCount.value == 0)
    subscription.dispose()
  }

  @Test("the stop event releases all observers", arguments: Kind.allCases)
  func ends(kind: Kind) {
    let (source, observer) = kind.make()
    let subscriptions = (0..<3).map { _ in observe(source) }
    observer.onNext(1)
    observer.onCompleted()
    #expect(liveCount.value == 0)
    #expect(subscriptions.count == 3)
  }

  @Test(
    "a removed observer receives nothing more, others do", arguments: [Kind.publish, .behavior, .replay])
  func others(kind: Kind) {
    let (source, observer) = kind.make()
    let (first, second) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    let subscription = source.subscribe(first)
    _ = source.subscribe(second)
    observer.onNext(1)
    subscription.dispose()
    observer.onNext(2)
    #expect(first.elements.last == 1)
    #expect(second.elements.suffix(2) == [1, 2])
  }

  private func checkOperator<Subject: Observable<Int> & SubjectType & ObserverType>(
    on makeSubject: () -> Subject
  ) where Subject.Element == Int {
    weak var weakSubject: Subject?
    let recorder = RecordingObserver<Int>()
    func mapped() -> Observable<Int> {
      let subject = makeSubject()
      weakSubject = subject
      return subject.map { $0 + 100 }
    }
    do {
      let mapped = mapped()
      _ = mapped.subscribe(recorder)
      weakSubject?.onNext(1)
      weakSubject?.onCompleted()
      withExtendedLifetime(mapped) {}
    }
    #expect(recorder.events.suffix(2) == [.next(101), .completed])
    #expect(weakSubject == nil)
  }

  @Test("an operator keeps its subject alive", arguments: Kind.allCases)
  func keptByOperator(kind: Kind) {
    switch kind {
    case .publish: checkOperator { PublishSubject() }
    case .behavior: checkOperator { BehaviorSubject(value: 0) }
    case .replay: checkOperator { ReplaySubject.create(bufferSize: 1) }
    case .async: checkOperator { AsyncSubject() }
    }
  }

  @Test("a subscription does not keep its subject alive", arguments: Kind.allCases)
  func notKeptBySubscription(kind: Kind) {
    var pair: (source: Observable<Int>, observer: AnyObserver<Int>)? = kind.make()
    weak let subject = pair?.source
    let subscription = pair?.source.map { $0 }.subscribe()
    pair = nil
    #expect(subject == nil)
    subscription?.dispose()
  }

  private func isReleasedAfterDisposal<Subject: Observable<Int> & Disposable>(
    _ makeSubject: () -> Subject
  ) -> Bool {
    weak var weakSubject: Subject?
    do {
      let subject = makeSubject()
      weakSubject = subject
      subject.dispose()
    }
    return weakSubject == nil
  }

  @Test("a disposed subject does not keep itself alive")
  func disposedSubject() {
    let released = [
      isReleasedAfterDisposal { PublishSubject<Int>() },
      isReleasedAfterDisposal { BehaviorSubject(value: 0) },
      isReleasedAfterDisposal { ReplaySubject<Int>.create(bufferSize: 1) },
    ]
    #expect(released == [true, true, true])
  }

  @Test("observers that stay are found after most others have left", arguments: Kind.allCases)
  func mostLeave(kind: Kind) {
    let (source, observer) = kind.make()
    let recorders = (0..<1_000).map { _ in RecordingObserver<Int>() }
    let subscriptions = recorders.map { source.subscribe($0) }
    for index in 0..<1_000 where !index.isMultiple(of: 97) { subscriptions[index].dispose() }
    let late = RecordingObserver<Int>()
    let lateSubscription = source.subscribe(late)
    subscriptions[97].dispose()
    observer.onNext(1)
    observer.onCompleted()
    for (index, recorder) in recorders.enumerated() {
      #expect(recorder.events.contains(.completed) == (index.isMultiple(of: 97) && index != 97))
    }
    #expect(late.events.suffix(2) == [.next(1), .completed])
    lateSubscription.dispose()
  }
}

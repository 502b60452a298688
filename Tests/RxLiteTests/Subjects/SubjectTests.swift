import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// A subject of any kind, created with the value 0 if it needs one.
struct SubjectKind: Sendable, CustomTestStringConvertible {
  struct Subject {
    let sequence: Observable<Int>
    let observer: AnyObserver<Int>
    let hasObservers: () -> Bool
    let isDisposed: () -> Bool
    let dispose: () -> Void
  }

  let testDescription: String
  let make: @Sendable () -> Subject
  /// The events of an observer that subscribes after elements 1, 2 and 3 were sent, and of one that
  /// subscribes after an end.
  let late: (running: [Event<Int>], ended: [Event<Int>])
  /// The events of an observer that subscribes before all events.
  let early: [Event<Int>]

  static let all = [
    SubjectKind(
      testDescription: "publish",
      make: {
        let subject = PublishSubject<Int>()
        return Subject(
          sequence: subject, observer: AnyObserver(subject), hasObservers: { subject.hasObservers },
          isDisposed: { subject.isDisposed }, dispose: subject.dispose)
      }, late: ([], []), early: []),
    SubjectKind(
      testDescription: "behavior",
      make: {
        let subject = BehaviorSubject<Int>(value: 0)
        return Subject(
          sequence: subject, observer: AnyObserver(subject), hasObservers: { subject.hasObservers },
          isDisposed: { subject.isDisposed }, dispose: subject.dispose)
      }, late: ([.next(3)], []), early: [.next(0)]),
  ]
}

@Suite("subjects")
struct SubjectTests {
  @Test("events reach the current observers", arguments: SubjectKind.all)
  func broadcasts(kind: SubjectKind) {
    let subject = kind.make()
    let (first, second, third) = (
      RecordingObserver<Int>(), RecordingObserver<Int>(), RecordingObserver<Int>()
    )
    let firstSubscription = subject.sequence.subscribe(first)
    subject.observer.onNext(1)
    _ = subject.sequence.subscribe(second)
    subject.observer.onNext(2)
    firstSubscription.dispose()
    subject.observer.onNext(3)
    _ = subject.sequence.subscribe(third)
    subject.observer.onCompleted()
    #expect(first.events == kind.early + [.next(1), .next(2)])
    #expect(second.events.suffix(3) == [.next(2), .next(3), .completed])
    #expect(third.events == kind.late.running + [.completed])
  }

  @Test(
    "after the end nothing is sent, and later observers receive the stop event", arguments: SubjectKind.all,
    [false, true])
  func ended(kind: SubjectKind, isError: Bool) {
    let subject = kind.make()
    let (early, late) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    let end: Event<Int> = isError ? .error(TestError.one) : .completed
    _ = subject.sequence.subscribe(early)
    for element in 1...3 { subject.observer.onNext(element) }
    subject.observer.on(end)
    subject.observer.onNext(4)
    subject.observer.on(.error(TestError.two))
    _ = subject.sequence.subscribe(late)
    #expect(early.events == kind.early + [.next(1), .next(2), .next(3), end])
    #expect(late.events == kind.late.ended + [end])
    #expect(!subject.hasObservers())
  }

  @Test("it knows whether it has observers", arguments: SubjectKind.all)
  func hasObservers(kind: SubjectKind) {
    let subject = kind.make()
    #expect(!subject.hasObservers())
    let (first, second) = (subject.sequence.subscribe(), subject.sequence.subscribe())
    #expect(subject.hasObservers())
    first.dispose()
    first.dispose()
    #expect(subject.hasObservers())
    second.dispose()
    #expect(!subject.hasObservers())
  }

  @Test("disposal silences it, and later observers get an error", arguments: SubjectKind.all)
  func disposed(kind: SubjectKind) {
    let subject = kind.make()
    let (early, late) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    _ = subject.sequence.subscribe(early)
    #expect(!subject.isDisposed())
    subject.dispose()
    #expect(subject.isDisposed() && !subject.hasObservers())
    subject.observer.onNext(1)
    subject.observer.onCompleted()
    _ = subject.sequence.subscribe(late)
    #expect(early.events == kind.early)
    guard case .error(RxError.disposed) = late.events.first, late.events.count == 1 else {
      Issue.record("\(late.events)")
      return
    }
  }

  @Test(
    "after a disposal, later observers get an error in place of the stop event", arguments: SubjectKind.all)
  func disposedAfterTheEnd(kind: SubjectKind) {
    let (subject, late) = (kind.make(), RecordingObserver<Int>())
    subject.observer.onCompleted()
    #expect(!subject.isDisposed())
    subject.dispose()
    #expect(subject.isDisposed())
    _ = subject.sequence.subscribe(late)
    #expect(late.events.count == 1 && late.events.first?.error is RxError)
  }

  @Test(
    "an event that is sent from inside another reaches all observers after it", arguments: SubjectKind.all)
  func reentrantNext(kind: SubjectKind) {
    let subject = kind.make()
    let log = Log()
    for name in ["a", "b"] {
      _ = subject.sequence.subscribe { event in
        if name == "a", event.element == 1 {
          subject.observer.onNext(2)
          subject.observer.onCompleted()
        }
        if event.element != 0 { log.add("\(name) \(event)") }
      }
    }
    subject.observer.onNext(1)
    #expect(
      log.lines == ["a next(1)", "b next(1)", "a next(2)", "b next(2)", "a completed", "b completed"])
  }

  @Test(
    "an observer that another one disposes during a delivery is not called again", arguments: SubjectKind.all
  )
  func disposedByAnother(kind: SubjectKind) {
    let subject = kind.make()
    let victim = RecordingObserver<Int>()
    let subscription = SingleAssignmentDisposable()
    _ = subject.sequence.subscribe { event in if event.element == 1 { subscription.dispose() } }
    subscription.setDisposable(subject.sequence.subscribe(victim))
    subject.observer.onNext(1)
    #expect(victim.events == kind.early)
  }

  @Test("an observer that subscribes during a delivery receives later events", arguments: SubjectKind.all)
  func subscribedInside(kind: SubjectKind) {
    let subject = kind.make()
    let late = RecordingObserver<Int>()
    _ = subject.sequence.subscribe { event in
      if event.element == 3 { _ = subject.sequence.subscribe(late) }
    }
    subject.observer.onNext(3)
    subject.observer.onNext(4)
    #expect(late.events == kind.late.running + [.next(4)])
  }

  @Test("10,000 observers come and go")
  func manyObservers() {
    let subject = PublishSubject<Int>()
    var sum = 0
    let subscriptions = (0..<10_000).map { _ in subject.subscribe(onNext: { sum += $0 }) }
    subject.onNext(1)
    for subscription in subscriptions.dropFirst() { subscription.dispose() }
    subject.onNext(10_000)
    #expect(sum == 20_000)
  }

  @Test("the value of a behavior subject is the latest element, then the error")
  func value() throws {
    let subject = BehaviorSubject(value: 0)
    #expect(try subject.value() == 0)
    subject.onNext(1)
    #expect(try subject.value() == 1)
    subject.onError(TestError.one)
    #expect(throws: TestError.one) { try subject.value() }
    subject.dispose()
    #expect(throws: RxError.self) { try subject.value() }
  }

  @Test("a completed behavior subject keeps its value")
  func valueAfterCompletion() throws {
    let subject = BehaviorSubject(value: 0)
    subject.onNext(1)
    subject.onCompleted()
    #expect(try subject.value() == 1)
  }

  @Test("the error of a disposed subject names it")
  func disposedObject() {
    let (publish, behavior, replay) = (
      PublishSubject<Int>(), BehaviorSubject(value: 1), ReplaySubject<Int>.create(bufferSize: 1)
    )
    publish.dispose()
    behavior.dispose()
    replay.dispose()
    for subject in [publish, behavior, replay] as [Observable<Int>] {
      var named: [ObjectIdentifier] = []
      for sequence in [subject, subject.map { $0 }] {
        _ = sequence.subscribe(onError: { error in
          if case RxError.disposed(let object) = error { named.append(ObjectIdentifier(object)) }
        })
      }
      #expect(named == [ObjectIdentifier(subject), ObjectIdentifier(subject)])
    }
  }

  @Test("a sequence keeps its disposed subject alive, which later observers get in the error")
  func disposedAndKept() {
    weak var kept: PublishSubject<Int>?
    let mapped: Observable<Int>
    do {
      let subject = PublishSubject<Int>()
      kept = subject
      mapped = subject.map { $0 }
      subject.dispose()
    }
    let recorder = RecordingObserver<Int>()
    _ = mapped.subscribe(recorder)
    #expect(recorder.events.count == 1)
    guard case RxError.disposed(let object)? = recorder.events.first?.error else {
      Issue.record("The error is not RxError.disposed.")
      return
    }
    #expect(kept != nil && kept === object as AnyObject)
  }
}

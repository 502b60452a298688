import Dispatch
import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import Testing

/// An event from inside a delivery is for the current observers, and reaches those that do not dispose their
/// subscriptions.
@Suite("an event sent from inside a delivery", .timeLimit(.minutes(5)))
struct ReentrantSubjectTests {
  /// A subject or relay of any kind; an unsupported end or disposal does nothing.
  struct Kind: Sendable, CustomTestStringConvertible {
    struct Subject: @unchecked Sendable {
      // Sendable as subjects and relays are: the closures capture nothing else.
      let sequence: Observable<Int>
      let send: (Int) -> Void
      var complete: () -> Void = {}
      var dispose: () -> Void = {}
      var hasObservers: () -> Bool = { false }
    }

    let testDescription: String
    /// `true` if a new observer receives the latest element.
    let replays: Bool
    let make: @Sendable () -> Subject

    static let subjects = [
      Kind(testDescription: "PublishSubject", replays: false) {
        let subject = PublishSubject<Int>()
        return Subject(
          sequence: subject, send: subject.onNext, complete: subject.onCompleted, dispose: subject.dispose,
          hasObservers: { subject.hasObservers })
      },
      Kind(testDescription: "BehaviorSubject", replays: true) {
        let subject = BehaviorSubject(value: 0)
        return Subject(
          sequence: subject, send: subject.onNext, complete: subject.onCompleted, dispose: subject.dispose,
          hasObservers: { subject.hasObservers })
      },
      Kind(testDescription: "ReplaySubject", replays: true) {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        return Subject(
          sequence: subject, send: subject.onNext, complete: subject.onCompleted, dispose: subject.dispose,
          hasObservers: { subject.hasObservers })
      },
    ]

    static let all =
      subjects + [
        Kind(testDescription: "PublishRelay", replays: false) {
          let relay = PublishRelay<Int>()
          return Subject(sequence: relay.asObservable(), send: relay.accept)
        },
        Kind(testDescription: "BehaviorRelay", replays: true) {
          let relay = BehaviorRelay(value: 0)
          return Subject(sequence: relay.asObservable(), send: relay.accept)
        },
        Kind(testDescription: "ReplayRelay", replays: true) {
          let relay = ReplayRelay<Int>.create(bufferSize: 1)
          return Subject(sequence: relay.asObservable(), send: relay.accept)
        },
      ]
  }

  private let first = RecordingObserver<Int>()
  private let second = RecordingObserver<Int>()
  private let late = RecordingObserver<Int>()

  /// Subscribes two recorders, the first of which runs `action` during element 1, and sends that element.
  private func send(_ subject: Kind.Subject, action: @escaping () -> Void) {
    _ = subject.sequence.subscribe { event in
      first.on(event)
      if event.element == 1 { action() }
    }
    _ = subject.sequence.subscribe(second)
    subject.send(1)
  }

  private func elements(_ recorder: RecordingObserver<Int>) -> [Int] {
    recorder.elements.filter { $0 != 0 }
  }

  @Test("does not reach an observer that subscribes after it", arguments: Kind.all)
  func lateObserver(kind: Kind) {
    let subject = kind.make()
    send(subject) {
      subject.send(2)
      _ = subject.sequence.subscribe(late)
      subject.send(3)
    }
    subject.send(4)
    #expect(elements(first) == [1, 2, 3, 4])
    #expect(elements(second) == [1, 2, 3, 4])
    #expect(late.elements == (kind.replays ? [2, 3, 4] : [3, 4]))
  }

  @Test("does not reach an observer that subscribes after another thread has sent it", arguments: Kind.all)
  func lateObserverOfAnotherThread(kind: Kind) {
    let (subject, late) = (kind.make(), late)
    send(subject) {
      onThreads(1) { _ in
        subject.send(2)
        _ = subject.sequence.subscribe(late)
      }
    }
    subject.send(3)
    #expect(elements(second) == [1, 2, 3])
    #expect(late.elements == (kind.replays ? [2, 3] : [3]))
  }

  @Test(
    "reaches the observers even if the subject is disposed before its delivery", arguments: Kind.subjects)
  func disposedSubject(kind: Kind) {
    let subject = kind.make()
    var hasObservers: Bool?
    send(subject) {
      subject.send(2)
      subject.dispose()
      hasObservers = subject.hasObservers()
      subject.send(3)
      subject.complete()
      _ = subject.sequence.subscribe(late)
    }
    #expect(elements(first) == [1, 2] && elements(second) == [1, 2])
    #expect((first.events + second.events).allSatisfy { !$0.isStopEvent })
    #expect(hasObservers == false)
    #expect(late.events.count == 1 && late.events.first?.error is RxError)
  }

  @Test(
    "ends the subject for new observers at once, and is delivered to the others later",
    arguments: Kind.subjects)
  func stopEvent(kind: Kind) {
    let subject = kind.make()
    var (hasObservers, lateEvents): (Bool?, [Event<Int>]) = (nil, [])
    send(subject) {
      subject.send(2)
      subject.complete()
      hasObservers = subject.hasObservers()
      subject.send(3)
      _ = subject.sequence.subscribe(late)
      lateEvents = late.events.filter(\.isStopEvent)
      subject.dispose()
    }
    #expect(elements(first) == [1, 2] && elements(second) == [1, 2])
    #expect(first.events.last == .completed && second.events.last == .completed)
    #expect(hasObservers == false)
    #expect(lateEvents == [.completed])
    #expect(late.events.filter(\.isStopEvent) == [.completed])
  }

  @Test(
    "does not reach an observer that has disposed its subscription, nor its operators", arguments: Kind.all)
  func disposedSubscription(kind: Kind) {
    let subject = kind.make()
    let subscription = SingleAssignmentDisposable()
    let (upstream, leaver) = (Log(), RecordingObserver<Int>())
    subscription.setDisposable(
      subject.sequence.do(onNext: { upstream.add("\($0)") }).subscribe { event in
        leaver.on(event)
        guard event.element == 1 else { return }
        subject.send(2)
        subscription.dispose()
        subject.dispose()
      })
    _ = subject.sequence.subscribe(second)
    subject.send(1)
    #expect(elements(leaver) == [1])
    #expect(upstream.lines.filter { $0 != "0" } == ["1"])
    #expect(elements(second) == [1, 2])
  }

  @Test("does not reach observers that were removed after the subject was disposed", arguments: Kind.subjects)
  func leavesDisposedSubject(kind: Kind) {
    let subject = kind.make()
    let subscription = SingleAssignmentDisposable()
    let upstream = Log()
    subscription.setDisposable(
      subject.sequence.do(onNext: { upstream.add("\($0)") }).subscribe(onNext: { element in
        guard element == 1 else { return }
        subject.send(2)
        subject.dispose()
        subscription.dispose()
      }))
    subject.send(1)
    #expect(upstream.lines.filter { $0 != "0" } == ["1"])
  }

  @Test("releases the observers of a disposed subject after its delivery", arguments: Kind.subjects)
  func lifetime(kind: Kind) {
    let (subject, liveCount) = (kind.make(), TrackedObject.LiveCount())
    let subscription: any Disposable
    do {
      let tracked = TrackedObject(in: liveCount)
      subscription = subject.sequence.subscribe(onNext: { element in
        guard element == 1, tracked.value == 0 else { return }
        subject.send(2)
        subject.dispose()
      })
    }
    #expect(liveCount.value == 1)
    subject.send(1)
    #expect(liveCount.value == 0)
    subscription.dispose()
  }
}

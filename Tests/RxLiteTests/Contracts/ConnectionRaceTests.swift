import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// Observers subscribe and leave, connections are made and ended, and the source sends and ends, all at the
/// same time.
@Suite("Several threads that share one sequence", .timeLimit(.minutes(5)))
struct ConnectionRaceTests {
  struct SharingOperator: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let share: @Sendable (Observable<Int>) -> Observable<Int>
  }

  private static let all = [
    SharingOperator(testDescription: "share()") { $0.share() },
    SharingOperator(testDescription: "share(replay: 1)") { $0.share(replay: 1) },
    SharingOperator(testDescription: "share(replay: 2)") { $0.share(replay: 2) },
    SharingOperator(testDescription: "share(replay: 1, scope: .forever)") {
      $0.share(replay: 1, scope: .forever)
    },
    SharingOperator(testDescription: "publish and refCount") { $0.publish().refCount() },
    SharingOperator(testDescription: "replayAll and refCount") { $0.replayAll().refCount() },
  ]

  @Test(
    "each subscription ends, each sequence is valid, and an observer that stays receives all events",
    arguments: all)
  func observers(shared: SharingOperator) {
    for round in 0..<20 {
      let (isCompleted, hasStayer) = (round % 2 == 0, round % 4 < 2)
      let subject = PublishSubject<Int>()
      let subscriptions = SubscriptionCounter()
      let sequence = shared.share(
        subject.do(onSubscribe: { subscriptions.begin() }, onDispose: { subscriptions.end() }))
      let recorders = (0..<3).map { _ in (0..<30).map { _ in RecordingObserver<Int>() } }
      let (stayer, late) = (RecordingObserver<Int>(), RecordingObserver<Int>())
      let stay = hasStayer ? sequence.subscribe(stayer) : Disposables.create()
      onThreads(4) { thread in
        guard thread < 3 else {
          for element in 0..<200 { subject.onNext(element) }
          if isCompleted { subject.onCompleted() }
          return
        }
        for recorder in recorders[thread] { sequence.subscribe(recorder).dispose() }
      }
      stay.dispose()
      if hasStayer {
        #expect(stayer.events == (0..<200).map { .next($0) } + (isCompleted ? [.completed] : []))
        #expect(stayer.overlaps == 0)
      }
      // After the race, the next observer receives elements as usual.
      let subscription = sequence.subscribe(late)
      subject.onNext(1_000)
      #expect(late.events.last == (isCompleted ? .completed : .next(1_000)))
      subscription.dispose()
      for recorder in recorders.joined() {
        #expect(recorder.overlaps == 0)
        #expect(recorder.events.dropLast().allSatisfy { !$0.isStopEvent })
        #expect(recorder.elements == recorder.elements.sorted())
      }
      #expect(!subject.hasObservers)
      #expect(subscriptions.begun > 0)
      #expect(subscriptions.begun == subscriptions.ended)
    }
  }

  @Test("repeated connecting and disconnecting leaves nothing behind")
  func connections() {
    for _ in 0..<20 {
      let subject = PublishSubject<Int>()
      let subscriptions = SubscriptionCounter()
      let published = subject.do(
        onSubscribe: { subscriptions.begin() }, onDispose: { subscriptions.end() }
      ).publish()
      let recorder = RecordingObserver<Int>()
      let subscription = published.subscribe(recorder)
      onThreads(4) { thread in
        for element in 0..<100 {
          if thread == 0 { subject.onNext(element) } else { published.connect().dispose() }
        }
      }
      subscription.dispose()
      #expect(recorder.overlaps == 0)
      #expect(!subject.hasObservers)
      #expect(subscriptions.begun > 0)
      #expect(subscriptions.begun == subscriptions.ended)
    }
  }

  /// Sends numbers from 1 on while two other threads subscribe the recorders; returns the last number.
  private func send(
    _ send: @escaping @Sendable (Int) -> Void,
    while subscribe: @escaping @Sendable (RecordingObserver<Int>) -> Void,
    _ recorders: [RecordingObserver<Int>]
  ) -> Int {
    let waiting = Lock(recorders.count)
    let sent = Lock(0)
    onThreads(3) { thread in
      if thread > 0 {
        for (index, recorder) in recorders.enumerated() where index % 2 == thread % 2 {
          subscribe(recorder)
          waiting.withLock { $0 -= 1 }
        }
        return
      }
      // Sends until all have subscribed, so that the race happens; the limit is for a busy machine.
      for element in 1...10_000 {
        send(element)
        sent.withLock { $0 = element }
        if waiting.withLock({ $0 }) == 0 { return }
      }
    }
    return sent.withLock { $0 }
  }

  @Test("a replaying subject sends each observer its replay before later elements, without a gap")
  func replay() {
    for _ in 0..<10 {
      let subject = ReplaySubject<Int>.createUnbounded()
      let recorders = (0..<20).map { _ in RecordingObserver<Int>() }
      let last = send({ subject.onNext($0) }, while: { _ = subject.subscribe($0) }, recorders)
      subject.onCompleted()
      for recorder in recorders {
        #expect(recorder.overlaps == 0)
        #expect(recorder.elements == Array(1...last))
        #expect(recorder.events.last == .completed)
      }
    }
  }

  @Test("an observer of a behavior subject receives the latest value and all later ones")
  func behavior() {
    for _ in 0..<20 {
      let relay = BehaviorRelay(value: 0)
      let recorders = (0..<20).map { _ in RecordingObserver<Int>() }
      let last = send({ relay.accept($0) }, while: { _ = relay.subscribe($0) }, recorders)
      for recorder in recorders {
        #expect(recorder.overlaps == 0)
        #expect(recorder.elements == Array((recorder.elements.first ?? -1)...last))
      }
    }
  }
}

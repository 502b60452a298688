import ReactiveNetworkLock
import RxLite
import RxLiteTesting
import Testing

/// Observers subscribe and leave, connections are made and ended, and the source sends and ends, all at the
/// same time.
@Suite("several threads share one sequence", .timeLimit(.minutes(5)))
struct ConnectionRaceTests {
  struct Shared: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let share: @Sendable (Observable<Int>) -> Observable<Int>
  }

  private static let all = [
    Shared(testDescription: "share()") { $0.share() },
    Shared(testDescription: "share(replay: 1)") { $0.share(replay: 1) },
    Shared(testDescription: "share(replay: 2)") { $0.share(replay: 2) },
    Shared(testDescription: "share(replay: 1, scope: .forever)") { $0.share(replay: 1, scope: .forever) },
    Shared(testDescription: "publish and refCount") { $0.publish().refCount() },
    Shared(testDescription: "replayAll and refCount") { $0.replayAll().refCount() },
  ]

  @Test(
    "each subscription ends, each sequence is valid, and an observer that stays receives all events",
    arguments: all)
  func observers(shared: Shared) {
    for round in 0..<20 {
      let (isCompleted, hasStayer) = (round % 2 == 0, round % 4 < 2)
      let subject = PublishSubject<Int>()
      let subscriptions = Tally()
      let sequence = shared.share(
        subject.do(onSubscribe: { subscriptions.begin() }, onDispose: { subscriptions.end() }))
      let probes = (0..<3).map { _ in (0..<30).map { _ in Probe<Int>() } }
      let (stayer, late) = (Probe<Int>(), Probe<Int>())
      let stay = hasStayer ? sequence.subscribe(stayer) : Disposables.create()
      onThreads(4) { thread in
        guard thread < 3 else {
          for element in 0..<200 { subject.onNext(element) }
          if isCompleted { subject.onCompleted() }
          return
        }
        for probe in probes[thread] { sequence.subscribe(probe).dispose() }
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
      for probe in probes.joined() {
        #expect(probe.overlaps == 0)
        #expect(probe.events.dropLast().allSatisfy { !$0.isStopEvent })
        #expect(probe.elements == probe.elements.sorted())
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
      let subscriptions = Tally()
      let published = subject.do(
        onSubscribe: { subscriptions.begin() }, onDispose: { subscriptions.end() }
      ).publish()
      let probe = Probe<Int>()
      let subscription = published.subscribe(probe)
      onThreads(4) { thread in
        for element in 0..<100 {
          if thread == 0 { subject.onNext(element) } else { published.connect().dispose() }
        }
      }
      subscription.dispose()
      #expect(probe.overlaps == 0)
      #expect(!subject.hasObservers)
      #expect(subscriptions.begun > 0)
      #expect(subscriptions.begun == subscriptions.ended)
    }
  }

  /// Sends numbers from 1 on while two other threads subscribe the probes; returns the last number.
  private func send(
    _ send: @escaping @Sendable (Int) -> Void, while subscribe: @escaping @Sendable (Probe<Int>) -> Void,
    _ probes: [Probe<Int>]
  ) -> Int {
    let waiting = Lock(probes.count)
    let sent = Lock(0)
    onThreads(3) { thread in
      if thread > 0 {
        for (index, probe) in probes.enumerated() where index % 2 == thread % 2 {
          subscribe(probe)
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
      let probes = (0..<20).map { _ in Probe<Int>() }
      let last = send({ subject.onNext($0) }, while: { _ = subject.subscribe($0) }, probes)
      subject.onCompleted()
      for probe in probes {
        #expect(probe.overlaps == 0)
        #expect(probe.elements == Array(1...last))
        #expect(probe.events.last == .completed)
      }
    }
  }

  @Test("an observer of a behavior subject receives the latest value and all later ones")
  func behavior() {
    for _ in 0..<20 {
      let relay = BehaviorRelay(value: 0)
      let probes = (0..<20).map { _ in Probe<Int>() }
      let last = send({ relay.accept($0) }, while: { _ = relay.subscribe($0) }, probes)
      for probe in probes {
        #expect(probe.overlaps == 0)
        #expect(probe.elements == Array((probe.elements.first ?? -1)...last))
      }
    }
  }
}

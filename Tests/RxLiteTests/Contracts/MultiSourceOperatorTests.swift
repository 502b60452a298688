import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// Three threads feed three sources of one operator until the sources end, in every possible way.
@Suite("Several threads that feed several sources", .timeLimit(.minutes(5)))
struct MultiSourceOperatorTests {
  enum End: CaseIterable, Sendable { case completed, error, disposed, disposedInside }

  private let rounds = 12

  @Test(
    "events arrive one at a time, with one stop event at the end; each source is disposed once",
    arguments: MultiSourceOperator.all, End.allCases)
  func grammar(op: MultiSourceOperator, end: End) {
    for _ in 0..<rounds {
      let subjects = (0..<3).map { _ in PublishSubject<Int>() }
      let subscriptions = SubscriptionCounter()
      let recorder = RecordingObserver<Int>()
      let subscription = SerialDisposable()
      let watched = subjects.map { subject in
        subject.do(onSubscribe: { subscriptions.begin() }, onDispose: { subscriptions.end() })
      }
      subscription.disposable = op.combine(watched).subscribe { event in
        if end == .disposedInside, recorder.events.count == 7 { subscription.dispose() }
        recorder.on(event)
      }
      onThreads(4) { thread in
        guard thread < 3 else {
          if end == .disposed { subscription.dispose() }
          return
        }
        for element in 0..<60 { subjects[thread].onNext(element) }
        if end == .error, thread == 1 { subjects[thread].onError(TestError.two) }
        subjects[thread].onCompleted()
      }
      subscription.dispose()
      let events = recorder.events
      let stops = events.filter(\.isStopEvent).count
      switch end {
      case .completed, .error: #expect(stops == 1 || stops == 0 && op.mayNotEnd)
      case .disposed, .disposedInside: #expect(stops <= 1)
      }
      #expect(stops == 0 || events.last?.isStopEvent == true)
      #expect(recorder.overlaps == 0)
      #expect(subjects.allSatisfy { !$0.hasObservers })
      #expect(subscriptions.begun > 0)
      #expect(subscriptions.begun == subscriptions.ended)
    }
  }
}

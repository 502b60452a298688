import Foundation
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Synchronization
import Testing

/// Several threads feed one sequence: nothing is lost, and two threads never call the observer at once.
@Suite("Several threads", .timeLimit(.minutes(5)))
struct ConcurrencyTests {
  private let threads = 4
  private let count = 2_000

  /// Feeds the elements `thread * count ..< (thread + 1) * count` from each thread.
  private func feed(_ send: @escaping @Sendable (_ thread: Int, _ element: Int) -> Void) {
    let count = count
    onThreads(threads) { thread in
      for element in thread * count..<(thread + 1) * count { send(thread, element) }
    }
  }

  private func expectAll(
    _ recorder: RecordingObserver<Int>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(recorder.overlaps == 0, sourceLocation: sourceLocation)
    #expect(recorder.elements.sorted() == Array(0..<threads * count), sourceLocation: sourceLocation)
    // The elements of one thread arrive in order.
    for thread in 0..<threads {
      let own = recorder.elements.filter { $0 / count == thread }
      #expect(own == own.sorted(), sourceLocation: sourceLocation)
    }
  }

  @Test("several threads feed one subject through an operator", arguments: IdentityOperator.all)
  func subject(row: IdentityOperator) {
    let subject = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    let subscription = row(subject).subscribe(recorder)
    feed { _, element in subject.onNext(element) }
    subject.onCompleted()
    subscription.dispose()
    expectAll(recorder)
    #expect(recorder.events.last == .completed)
  }

  @Test("several threads feed one create")
  func create() {
    let recorder = RecordingObserver<Int>()
    nonisolated(unsafe) var entrance = AnyObserver<Int> { _ in }
    let subscription = Observable<Int>.create { observer in
      entrance = observer
      return Disposables.create()
    }.subscribe(recorder)
    feed { _, element in entrance.onNext(element) }
    entrance.onCompleted()
    subscription.dispose()
    expectAll(recorder)
  }

  enum Joining: CaseIterable, Sendable { case merge, flatMap, nestedMerge, maxConcurrent }

  @Test("several threads feed sequences that are merged", arguments: Joining.allCases)
  func merge(joining: Joining) {
    let subjects = (0..<threads).map { _ in PublishSubject<Int>() }
    let sources = subjects.map { $0.asObservable() }
    let recorder = RecordingObserver<Int>()
    let joined: Observable<Int> =
      switch joining {
      case .merge: .merge(sources)
      case .flatMap: Observable.from(subjects).flatMap { $0 }
      case .nestedMerge: Observable.from(sources).merge()
      case .maxConcurrent: Observable.from(sources).merge(maxConcurrent: threads)
      }
    let subscription = joined.subscribe(recorder)
    let last = count - 1
    feed { [count] thread, element in
      subjects[thread].onNext(element)
      if element % count == last { subjects[thread].onCompleted() }
    }
    subscription.dispose()
    expectAll(recorder)
    #expect(recorder.events.last == .completed)
    #expect(recorder.events.count == threads * count + 1)
  }

  @Test(
    "several threads feed combineLatest: no element is lost, and the last result combines the last elements")
  func combineLatest() {
    let subjects = (0..<threads).map { BehaviorSubject(value: $0 * count) }
    let recorder = RecordingObserver<[Int]>()
    let subscription = Observable.combineLatest(subjects).subscribe(recorder)
    feed { thread, element in subjects[thread].onNext(element) }
    for subject in subjects { subject.onCompleted() }
    subscription.dispose()
    #expect(recorder.overlaps == 0)
    #expect(recorder.elements.count == threads * count + 1)
    #expect(recorder.elements.last == (1...threads).map { $0 * count - 1 })
    for thread in 0..<threads {
      let own = recorder.elements.map { $0[thread] }
      #expect(own == own.sorted())
    }
    #expect(recorder.events.last == .completed)
  }

  @Test("several threads feed zip: all elements are paired in order")
  func zip() {
    let subjects = (0..<threads).map { _ in PublishSubject<Int>() }
    let recorder = RecordingObserver<[Int]>()
    let subscription = Observable.zip(subjects).subscribe(recorder)
    feed { thread, element in subjects[thread].onNext(element) }
    for subject in subjects { subject.onCompleted() }
    subscription.dispose()
    #expect(recorder.overlaps == 0)
    #expect(recorder.elements == (0..<count).map { row in (0..<threads).map { $0 * count + row } })
    #expect(recorder.events.last == .completed)
  }

  @Test("several threads feed both sources of withLatestFrom")
  func withLatestFrom() {
    let (source, other) = (PublishSubject<Int>(), BehaviorSubject(value: 0))
    let recorder = RecordingObserver<Int>()
    let subscription = source.withLatestFrom(other) { element, _ in element }.subscribe(recorder)
    feed { thread, element in
      source.onNext(element)
      other.onNext(thread)
    }
    subscription.dispose()
    expectAll(recorder)
  }

  @Test("several threads end take(until:): one stop event is delivered, and nothing after it")
  func stop() {
    for round in 0..<200 {
      let (source, stop) = (PublishSubject<Int>(), PublishSubject<Void>())
      let recorder = RecordingObserver<Int>()
      let subscription = source.take(until: stop).subscribe(recorder)
      onThreads(3) { thread in
        switch thread {
        case 0: for element in 0..<50 { source.onNext(element) }
        case 1: stop.onNext(())
        default: if round % 2 == 0 { source.onError(TestError.one) }
        }
      }
      subscription.dispose()
      #expect(recorder.overlaps == 0)
      #expect(recorder.events.filter(\.isStopEvent).count == 1)
      #expect(recorder.events.last?.isStopEvent == true)
      #expect(recorder.elements == Array(0..<recorder.elements.count))
      #expect(!source.hasObservers && !stop.hasObservers)
    }
  }

  @Test(
    "on several threads, flatMapLatest ignores an outdated inner sequence after its successor's first element"
  )
  func flatMapLatest() {
    let inner = (0..<20).map { _ in PublishSubject<Int>() }
    let outer = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    let subscription = outer.flatMapLatest { inner[$0].startWith($0 * 1_000) }.subscribe(recorder)
    onThreads(3) { thread in
      if thread == 0 {
        for index in inner.indices { outer.onNext(index) }
      } else {
        for round in 1..<50 {
          for (index, subject) in inner.enumerated() { subject.onNext(index * 1_000 + round) }
        }
      }
    }
    subscription.dispose()
    let order = recorder.elements.map { $0 / 1_000 }
    #expect(recorder.overlaps == 0)
    #expect(order == order.sorted())
    // Only the last sequence is certain to deliver. The first element of an earlier one may stay pending
    // until that sequence is replaced.
    #expect(order.last == inner.indices.last)
    #expect(!outer.hasObservers && inner.allSatisfy { !$0.hasObservers })
  }

  @Test("several threads subscribe and dispose a shared sequence: every subscription of the source ends")
  func share() {
    let subject = PublishSubject<Int>()
    let log = Log()
    let shared = subject.do(onSubscribe: { log.add("+") }, onDispose: { log.add("-") }).share(replay: 1)
    onThreads(threads) { thread in
      for element in 0..<200 {
        if thread == 0 {
          subject.onNext(element)
        } else {
          shared.subscribe().dispose()
        }
      }
    }
    #expect(!subject.hasObservers)
    #expect(log.lines.filter { $0 == "+" }.count == log.lines.filter { $0 == "-" }.count)
    #expect(log.lines.contains("+"))
  }

  @Test("a thread disposes while another sends: nothing arrives after dispose() and the delivery in progress")
  func dispose() {
    for _ in 0..<200 {
      let subject = PublishSubject<Int>()
      let recorder = RecordingObserver<Int>()
      let subscription = subject.map { $0 }.subscribe(recorder)
      onThreads(2) { thread in
        if thread == 0 {
          for element in 0..<50 { subject.onNext(element) }
        } else {
          subscription.dispose()
        }
      }
      let received = recorder.elements
      subject.onNext(99)
      #expect(recorder.elements == received)
      #expect(!subject.hasObservers)
    }
  }

  @Test("a thread that disposes its subscription neither delivers another thread's events nor loses one")
  func disposalDeliversNothing() {
    let subject = PublishSubject<Int>()
    let disposer = Atomic<UInt>(0)
    let isDone = Atomic(false)
    let received = Atomic(0)
    let problems = Log()
    _ = subject.subscribe(onNext: { _ in
      received.wrappingAdd(1, ordering: .relaxed)
      if disposer.load(ordering: .relaxed) == UInt(pthread_self()) {
        problems.add("delivered by the disposing thread")
      }
    })
    onThreads(2) { thread in
      if thread == 0 {
        var sent = 0
        while !isDone.load(ordering: .relaxed) {
          subject.onNext(0)
          sent += 1
          if received.load(ordering: .relaxed) != sent { problems.add("not delivered") }
        }
      } else {
        disposer.store(UInt(pthread_self()), ordering: .relaxed)
        for _ in 0..<50_000 { subject.subscribe(onNext: { _ in }).dispose() }
        isDone.store(true, ordering: .relaxed)
      }
    }
    #expect(problems.lines.first == nil)
  }

  @Test("an event that a thread sends before it disposes the subject arrives although another thread sends")
  func eventBeforeDisposal() {
    for _ in 0..<2_000 {
      let subject = PublishSubject<Int>()
      let received = Atomic(0)
      let isDone = Atomic(false)
      _ = subject.subscribe(onNext: { received.wrappingAdd($0, ordering: .relaxed) })
      onThreads(2) { thread in
        guard thread == 0 else {
          while !isDone.load(ordering: .acquiring) { subject.onNext(0) }
          return
        }
        subject.onNext(1)
        subject.dispose()
        isDone.store(true, ordering: .releasing)
      }
      #expect(received.load(ordering: .relaxed) == 1)
      #expect(!subject.hasObservers)
    }
  }
}

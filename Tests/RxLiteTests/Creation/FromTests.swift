import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("of and from")
struct FromTests {
  private let scheduler = TestScheduler(initialClock: 0)

  enum Overload: CaseIterable, Sendable {
    case of, array, sequence

    func make(on scheduler: (any ImmediateSchedulerType)? = nil) -> Observable<Int> {
      switch (self, scheduler) {
      case (.of, let scheduler?): .of(1, 2, scheduler: scheduler)
      case (.of, nil): .of(1, 2)
      case (.array, let scheduler?): .from([1, 2], scheduler: scheduler)
      case (.array, nil): .from([1, 2])
      case (.sequence, let scheduler?): .from(1...2, scheduler: scheduler)
      case (.sequence, nil): .from(1...2)
      }
    }
  }

  @Test("elements and completion are sent at each subscription", arguments: Overload.allCases)
  func atOnce(overload: Overload) {
    let sequence = overload.make()
    for _ in 1...2 {
      let recorder = RecordingObserver<Int>()
      _ = sequence.subscribe(recorder)
      #expect(recorder.events == [.next(1), .next(2), .completed])
    }
  }

  @Test("on a scheduler the elements and completion take a step each", arguments: Overload.allCases)
  func scheduled(overload: Overload) {
    let scheduler = scheduler
    let observer = scheduler.start { overload.make(on: scheduler) }
    #expect(observer.events == [.next(201, 1), .next(202, 2), .completed(203)])
  }

  @Test("disposal cancels the remaining steps", arguments: Overload.allCases)
  func disposed(overload: Overload) {
    let scheduler = scheduler
    let observer = scheduler.start(disposed: 202) { overload.make(on: scheduler) }
    #expect(observer.events == [.next(201, 1)])
  }

  @Test("a sequence of nothing only completes")
  func empty() {
    #expect(scheduler.start { Observable<Int>.from([]) }.events == [.completed(200)])
    let other = TestScheduler(initialClock: 0)
    #expect(other.start { Observable<Int>.from([], scheduler: other) }.events == [.completed(201)])
  }

  @Test("an optional is one element or none")
  func optional() {
    for (optional, events) in [(1, [.next(1), .completed]), (nil, [.completed])] as [(Int?, [Event<Int>])] {
      let recorder = RecordingObserver<Int>()
      _ = Observable.from(optional: optional).subscribe(recorder)
      #expect(recorder.events == events)
    }
    let scheduler = scheduler
    let one = scheduler.start { Observable.from(optional: 1, scheduler: scheduler) }
    #expect(one.events == [.next(201, 1), .completed(202)])
    let other = TestScheduler(initialClock: 0)
    let none = other.start { Observable<Int>.from(optional: nil, scheduler: other) }
    #expect(none.events == [.completed(201)])
  }

  @Test(
    "on a scheduler that runs everything at once, a sequence is iterated no further than requested, either")
  func atOnceAndLazy() {
    var made = 0
    let elements = (0..<1_000).lazy.map { element in
      made += 1
      return element
    }
    let recorder = RecordingObserver<Int>()
    _ = Observable.from(AnySequence(elements), scheduler: ImmediateScheduler()).take(2).subscribe(recorder)
    #expect(recorder.events == [.next(0), .next(1), .completed])
    #expect(made == 2)
  }

  @Test("a sequence is iterated for each subscription, no further than requested")
  func lazy() {
    var made: [Int] = []
    let elements = (1...5).lazy.map { element in
      made.append(element)
      return element
    }
    let sequence = Observable.from(elements).take(2)
    #expect(made == [])
    _ = sequence.subscribe()
    _ = sequence.subscribe()
    #expect(made == [1, 2, 1, 2])
  }
}

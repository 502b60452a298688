import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("range")
struct RangeTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func elements(_ start: Int, _ count: Int) -> [Event<Int>] {
    let recorder = RecordingObserver<Int>()
    _ = Observable.range(start: start, count: count).subscribe(recorder)
    return recorder.events
  }

  @Test("the numbers are sent, then completion")
  func counts() {
    #expect(elements(1, 2) == [.next(1), .next(2), .completed])
    #expect(elements(-1, 3) == [.next(-1), .next(0), .next(1), .completed])
    #expect(elements(7, 0) == [.completed])
    #expect(elements(.max, 1) == [.next(.max), .completed])
    #expect(elements(.max, 0) == [.completed])
  }

  @Test("on a scheduler the numbers and completion take a step each")
  func scheduled() {
    let scheduler = scheduler
    let observer = scheduler.start { Observable.range(start: 1, count: 2, scheduler: scheduler) }
    #expect(observer.events == [.next(201, 1), .next(202, 2), .completed(203)])
  }

  @Test("disposal ends the steps", arguments: [201, 203])
  func disposed(time: TestTime) {
    let scheduler = scheduler
    let observer = scheduler.start(disposed: time) {
      Observable.range(start: 0, count: 100, scheduler: scheduler)
    }
    #expect(observer.events == (201..<time + 1).filter { $0 < time }.map { .next($0, $0 - 201) })
  }

  @Test("any integer type can be used")
  func otherNumbers() {
    let recorder = RecordingObserver<UInt8>()
    _ = Observable<UInt8>.range(start: 254, count: 2).subscribe(recorder)
    #expect(recorder.events == [.next(254), .next(255), .completed])
  }

  @Test("a range without elements may begin at the smallest integer")
  func emptyAtTheLowerLimit() {
    #expect(elements(.min, 0) == [.completed])
    let recorder = RecordingObserver<UInt8>()
    _ = Observable<UInt8>.range(start: 0, count: 0).subscribe(recorder)
    #expect(recorder.events == [.completed])
  }

  @Test("a range past the largest integer and a negative count stop the process", .timeLimit(.minutes(5)))
  func preconditions() async {
    await #expect(processExitsWith: .failure) { _ = Observable<UInt8>.range(start: 254, count: 3) }
    await #expect(processExitsWith: .failure) { _ = Observable<Int>.range(start: 0, count: -1) }
  }
}

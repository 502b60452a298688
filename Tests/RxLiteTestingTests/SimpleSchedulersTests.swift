import Foundation
import RxLite
import RxLiteTesting
import Synchronization
import Testing

@Suite("ImmediateScheduler and UnimplementedScheduler")
struct SimpleSchedulersTests {
  @Test("everything runs at once, and time stands still")
  func immediate() {
    let scheduler = ImmediateScheduler(now: Date(timeIntervalSince1970: 5))
    var received: [Int] = []
    let text = PublishSubject<Int>()
    let subscription =
      text
      .debounce(.seconds(60), scheduler: scheduler)
      .delay(.seconds(60), scheduler: scheduler)
      .observe(on: scheduler)
      .subscribe(onNext: { received.append($0) })
    text.onNext(1)
    #expect(received == [1])
    text.onNext(2)
    #expect(received == [1, 2])
    subscription.dispose()
    #expect(scheduler.now == Date(timeIntervalSince1970: 5))
  }

  @Test("a periodic timer ends when it is disposed, and one of .never does not run")
  func timers() {
    var received: [Int] = []
    _ = Observable<Int>.interval(.seconds(1), scheduler: ImmediateScheduler()).take(3)
      .subscribe(onNext: { received.append($0) })
    #expect(received == [0, 1, 2])
    _ = Observable<Int>.timer(.never, scheduler: ImmediateScheduler()).subscribe(onNext: {
      received.append($0)
    })
    #expect(received == [0, 1, 2])
  }

  @Test("every use of an unimplemented scheduler is reported, and runs nothing")
  func unimplemented() {
    let messages = Mutex<[String]>([])
    let scheduler = UnimplementedScheduler("The clock", file: "Test", line: 7) { message in
      messages.withLock { $0.append(message) }
    }
    #expect(scheduler.now == Date(timeIntervalSince1970: 0))
    var runs = 0
    _ = scheduler.schedule(()) {
      runs += 1
      return Disposables.create()
    }
    _ = Observable<Int>.timer(.seconds(1), scheduler: scheduler).subscribe(onNext: { _ in runs += 1 })
    _ = Observable<Int>.interval(.seconds(1), scheduler: scheduler).subscribe(onNext: { _ in runs += 1 })
    #expect(runs == 0)
    #expect(
      messages.withLock { $0 } == [
        "The clock created at Test:7 must not be used: its time was read.",
        "The clock created at Test:7 must not be used: an action was scheduled.",
        "The clock created at Test:7 must not be used: an action was scheduled after seconds(1).",
        "The clock created at Test:7 must not be used: an action was scheduled after seconds(1), then every seconds(1).",
      ])
  }

  @Test(
    "without arguments, an immediate scheduler stands still in 1970, and an unimplemented one names its place"
  )
  func defaults() {
    #expect(ImmediateScheduler().now == Date(timeIntervalSince1970: 0))
    let messages = Mutex<[String]>([])
    let line = #line + 1
    let scheduler = UnimplementedScheduler { message in
      messages.withLock { $0.append(message) }
    }
    _ = scheduler.schedule(()) { Disposables.create() }
    let place = "RxLiteTestingTests/SimpleSchedulersTests.swift:\(line)"
    #expect(
      messages.withLock { $0 } == [
        "A scheduler created at \(place) must not be used: an action was scheduled."
      ])
  }

  @Test("a failure belongs to the running test")
  func reported() {
    withKnownIssue {
      let scheduler = UnimplementedScheduler { Issue.record("\($0)") }
      _ = Observable.just(1, scheduler: scheduler).subscribe()
    }
  }
}

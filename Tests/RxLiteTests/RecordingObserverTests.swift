import Dispatch
import Foundation
import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("RecordingObserver", .timeLimit(.minutes(5)))
struct RecordingObserverTests {
  @Test("two threads that call the recorder at the same time are always detected")
  func together() {
    for _ in 0..<20 {
      let entered = Lock(0)
      let isLate = Lock(false)
      let bothAreInside = DispatchSemaphore(value: 0)
      let recorder = RecordingObserver<Int> { _ in
        let count = entered.withLock { entered in
          entered += 1
          return entered
        }
        if count == 2 {
          bothAreInside.signal()
        } else if bothAreInside.wait(timeout: .now() + 60) == .timedOut {
          isLate.withLock { $0 = true }
        }
      }
      onThreads(2) { recorder.on(.next($0)) }
      #expect(!isLate.withLock { $0 })
      #expect(recorder.overlaps == 1)
      #expect(recorder.elements.sorted() == [0, 1])
    }
  }

  @Test("a source that two threads drive without synchronization is detected")
  func unserialized() {
    let recorder = RecordingObserver<Int>()
    let begun = Lock(0)
    onThreads(2) { thread in
      begun.withLock { $0 += 1 }
      while begun.withLock({ $0 }) < 2 { sched_yield() }
      for _ in 0..<200_000 where recorder.overlaps == 0 { recorder.on(.next(thread)) }
    }
    #expect(recorder.overlaps > 0)
  }

  @Test("threads that take turns are not reported")
  func inTurns() {
    let recorder = RecordingObserver<Int>()
    let turn = DispatchSemaphore(value: 1)
    onThreads(2) { thread in
      for _ in 0..<100 {
        turn.wait()
        recorder.on(.next(thread))
        turn.signal()
      }
    }
    #expect(recorder.overlaps == 0)
    #expect(recorder.elements.count == 200)
  }
}

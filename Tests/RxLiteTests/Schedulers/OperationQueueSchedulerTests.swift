import Foundation
import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("OperationQueueScheduler", .timeLimit(.minutes(5)))
struct OperationQueueSchedulerTests {
  private let queue = OperationQueue()

  @Test("elements keep their order, on another thread than the subscribing one")
  func order() {
    let (recorder, log) = (RecordingObserver<Int>(), Log())
    let queue = queue
    _ = Observable.from(0..<100).observe(on: OperationQueueScheduler(operationQueue: queue))
      .do(onNext: { _ in if OperationQueue.current !== queue { log.add("elsewhere") } })
      .subscribe(recorder)
    while !(recorder.events.last?.isStopEvent ?? false) { queue.waitUntilAllOperationsAreFinished() }
    #expect(recorder.elements == Array(0..<100))
    #expect(log.lines == [])
  }

  @Test("an action that is disposed before its turn does not run")
  func disposed() {
    queue.isSuspended = true
    let log = Log()
    let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: .high)
    #expect(scheduler.queuePriority == .high)
    let first = scheduler.schedule(1) { _ in
      log.add("first")
      return Disposables.create()
    }
    _ = scheduler.schedule(2) { _ in
      log.add("second")
      return Disposables.create()
    }
    first.dispose()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.lines == ["second"])
  }

  @Test("a disposed action is released at once, and the result of a finished one is disposed")
  func disposedActionIsReleased() {
    let scheduler = OperationQueueScheduler(operationQueue: queue)
    let (liveCount, resource) = (TrackedObject.LiveCount(), BooleanDisposable())
    queue.isSuspended = true
    let waiting = scheduler.schedule(TrackedObject(in: liveCount)) { _ in Disposables.create() }
    let finished = scheduler.schedule(()) { resource }
    #expect(liveCount.value == 1)
    waiting.dispose()
    #expect(liveCount.value == 0)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(!resource.isDisposed)
    finished.dispose()
    #expect(resource.isDisposed)
  }

  @Test("the operations have the priority of the scheduler")
  func priority() {
    queue.isSuspended = true
    let log = Log()
    for priority in [Operation.QueuePriority.veryHigh, .low] {
      _ = OperationQueueScheduler(operationQueue: queue, queuePriority: priority).schedule(()) {
        log.add("ran")
        return Disposables.create()
      }
    }
    #expect(OperationQueueScheduler(operationQueue: queue).queuePriority == .normal)
    #expect(queue.operations.map(\.queuePriority.rawValue).sorted() == [-4, 8])
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.lines == ["ran", "ran"])
  }
}

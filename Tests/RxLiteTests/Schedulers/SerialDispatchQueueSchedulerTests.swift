import Dispatch
import RxLite
import Testing

@Suite("SerialDispatchQueueScheduler", .timeLimit(.minutes(5)))
struct SerialDispatchQueueSchedulerTests {
  private let semaphore = TestSemaphore()

  @Test("actions run in order, one at a time, on a concurrent queue too")
  func order() {
    let (recorder, semaphore) = (RecordingObserver<Int>(), semaphore)
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "in front")
    for index in 0..<1_000 {
      _ = scheduler.schedule(index) {
        recorder.on(.next($0))
        semaphore.signal()
        return Disposables.create()
      }
    }
    #expect(semaphore.wait(for: 1_000))
    #expect(recorder.elements == Array(0..<1_000))
    #expect(recorder.overlaps == 0)
  }

  @Test("an action scheduled by an action runs after it")
  func nested() {
    let (log, semaphore) = (Log(), semaphore)
    let scheduler = SerialDispatchQueueScheduler(qos: .userInitiated)
    _ = scheduler.schedule(()) {
      let inner = scheduler.schedule(()) {
        log.add("inner")
        semaphore.signal()
        return Disposables.create()
      }
      log.add("outer")
      return inner
    }
    #expect(semaphore.wait())
    #expect(log.lines == ["outer", "inner"])
  }

  @Test("the queue is configured before anything runs on it")
  func configuration() {
    let (marked, semaphore, log) = (MarkedQueue("target"), semaphore, Log())
    let scheduler = SerialDispatchQueueScheduler(
      internalSerialQueueName: "configured",
      serialQueueConfiguration: { queue in
        log.add(queue.label)
        queue.setTarget(queue: marked.queue)
      })
    _ = scheduler.schedule(()) {
      log.add("\(marked.isCurrent)")
      semaphore.signal()
      return Disposables.create()
    }
    #expect(semaphore.wait())
    #expect(log.lines == ["configured", "true"])
  }

  @Test("recursion ends when it is disposed")
  func recursion() {
    let (log, semaphore, own, assignment) = (Log(), semaphore, SingleAssignmentDisposable(), TestSemaphore())
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    own.setDisposable(
      scheduler.scheduleRecursive(1) { count, recurse in
        if count == 1 { #expect(assignment.wait()) }
        log.add("\(count)")
        recurse(count + 1)
        if count == 3 {
          own.dispose()
          semaphore.signal()
        }
      })
    assignment.signal()
    #expect(semaphore.wait())
    _ = scheduler.schedule(()) {
      semaphore.signal()
      return Disposables.create()
    }
    #expect(semaphore.wait())
    #expect(log.lines == ["1", "2", "3"])
  }
}

import Dispatch
import Foundation
import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("SerialDispatchQueueScheduler", .timeLimit(.minutes(5)))
struct SerialDispatchQueueSchedulerTests {
  private let semaphore = TestSemaphore()

  /// The label of the queue that runs the caller; the Swift module of Dispatch does not offer it on Linux.
  private static var currentLabel: String? {
    typealias Function = @convention(c) (UnsafeRawPointer?) -> UnsafePointer<CChar>?
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "dispatch_queue_get_label") else { return nil }
    return unsafeBitCast(symbol, to: Function.self)(nil).map { String(cString: $0) }
  }

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

  @Test("the scheduler's own queue has the given name, or a default one")
  func name() {
    let (log, semaphore) = (Log(), semaphore)
    let target = DispatchQueue(label: "target")
    for scheduler in [
      SerialDispatchQueueScheduler(queue: target, internalSerialQueueName: "in front"),
      SerialDispatchQueueScheduler(qos: .default),
    ] {
      _ = scheduler.schedule(()) {
        log.add(Self.currentLabel ?? "unknown")
        semaphore.signal()
        return Disposables.create()
      }
      #expect(semaphore.wait())
    }
    #expect(log.lines == ["in front", "rx.global_dispatch_queue.serial"])
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

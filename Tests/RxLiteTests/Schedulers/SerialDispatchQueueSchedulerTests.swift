import Dispatch
import RxLite
import Testing

@Suite("SerialDispatchQueueScheduler", .timeLimit(.minutes(5)))
struct SerialDispatchQueueSchedulerTests {
  private let arrival = Arrival()

  @Test("actions run in order, one at a time, on a concurrent queue too")
  func order() {
    let (probe, arrival) = (Probe<Int>(), arrival)
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "in front")
    for index in 0..<1_000 {
      _ = scheduler.schedule(index) {
        probe.on(.next($0))
        arrival.arrive()
        return Disposables.create()
      }
    }
    #expect(arrival.waits(for: 1_000))
    #expect(probe.elements == Array(0..<1_000))
    #expect(probe.overlaps == 0)
  }

  @Test("an action scheduled by an action runs after it")
  func nested() {
    let (log, arrival) = (Log(), arrival)
    let scheduler = SerialDispatchQueueScheduler(qos: .userInitiated)
    _ = scheduler.schedule(()) {
      let inner = scheduler.schedule(()) {
        log.add("inner")
        arrival.arrive()
        return Disposables.create()
      }
      log.add("outer")
      return inner
    }
    #expect(arrival.waits())
    #expect(log.lines == ["outer", "inner"])
  }

  @Test("the queue is configured before anything runs on it")
  func configuration() {
    let (marked, arrival, log) = (MarkedQueue("target"), arrival, Log())
    let scheduler = SerialDispatchQueueScheduler(
      internalSerialQueueName: "configured",
      serialQueueConfiguration: { queue in
        log.add(queue.label)
        queue.setTarget(queue: marked.queue)
      })
    _ = scheduler.schedule(()) {
      log.add("\(marked.isCurrent)")
      arrival.arrive()
      return Disposables.create()
    }
    #expect(arrival.waits())
    #expect(log.lines == ["configured", "true"])
  }

  @Test("recursion ends when it is disposed")
  func recursion() {
    let (log, arrival, own, assignment) = (Log(), arrival, SingleAssignmentDisposable(), Arrival())
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    own.setDisposable(
      scheduler.scheduleRecursive(1) { count, recurse in
        if count == 1 { #expect(assignment.waits()) }
        log.add("\(count)")
        recurse(count + 1)
        if count == 3 {
          own.dispose()
          arrival.arrive()
        }
      })
    assignment.arrive()
    #expect(arrival.waits())
    _ = scheduler.schedule(()) {
      arrival.arrive()
      return Disposables.create()
    }
    #expect(arrival.waits())
    #expect(log.lines == ["1", "2", "3"])
  }
}

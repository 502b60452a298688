import NetworkCore
import ReactiveSwiftCompatibility
import RxLite
import Testing

@Suite("Composed producers", .timeLimit(.minutes(5)))
struct ComposedProducersTests {
  private enum Failure: Error, Equatable {
    case plain
    case other(String)
  }

  private enum OtherFailure: Error {
    case first
  }

  /// Returns the events of a producer that ends while it is started.
  private func events<Value>(of producer: SignalProducer<Value, Failure>) -> [String] {
    var events: [String] = []
    producer.start { events.append("\($0)") }
    return events
  }

  private func number(_ value: Int) -> SignalProducer<Int, Failure> { SignalProducer(value: value) }

  @Test("producers of one value, several values, an error, a result, and nothing")
  func creation() {
    #expect(events(of: number(1)) == ["value(1)", "completed"])
    #expect(events(of: SignalProducer<Int, Failure>([1, 2])) == ["value(1)", "value(2)", "completed"])
    #expect(events(of: SignalProducer<Int, Failure>(error: .plain)).map { $0.contains("plain") } == [true])
    #expect(events(of: SignalProducer<Int, Failure>(result: .success(3))) == ["value(3)", "completed"])
    #expect(events(of: SignalProducer<Int, Failure>.empty) == ["completed"])
    #expect(events(of: SignalProducer<Int, Failure>.never) == [])
    var values: [Int] = []
    SignalProducer<Int, Never>(value: 4).startWithValues { values.append($0) }
    #expect(values == [4])
  }

  @Test(
    "the closure that observes started work is released at the end, or by disposal", arguments: [false, true])
  func releasedObserver(isDisposed: Bool) {
    final class Owner: Sendable {}
    weak var owner: Owner?
    let started: any Disposable
    do {
      let observed = Owner()
      owner = observed
      let producer = isDisposed ? SignalProducer<Int, Failure>.never : number(1)
      started = producer.start { _ in withExtendedLifetime(observed) {} }
    }
    if isDisposed { started.dispose() }
    let isReleased = owner == nil
    #expect(isReleased)
    withExtendedLifetime(started) {}
  }

  @Test("a sequence of values is iterated at each start, no further than needed")
  func lazySequence() {
    var made: [Int] = []
    let numbers = (1...5).lazy.map { number -> Int in
      made.append(number)
      return number
    }
    let producer = SignalProducer<Int, Failure>(numbers).take(first: 2)
    #expect(made == [])
    for _ in 1...2 { #expect(events(of: producer) == ["value(1)", "value(2)", "completed"]) }
    #expect(made == [1, 2, 1, 2])
  }

  @Test(
    "flatMap forwards the values of each producer",
    arguments: [FlattenStrategy.merge, .concat, .latest, .throttle, .concurrent(limit: 2)])
  func flatMap(strategy: FlattenStrategy) {
    let producer = SignalProducer<Int, Failure>([1, 2]).flatMap(strategy) { number($0 * 10) }
    #expect(events(of: producer) == ["value(10)", "value(20)", "completed"])
  }

  @Test(
    "while its producers run, flatMap starts as many as its strategy allows, and disposes none",
    arguments: [
      (FlattenStrategy.concat, ["+1"]), (.throttle, ["+1"]), (.concurrent(limit: 2), ["+1", "+2"]),
      (.merge, ["+1", "+2", "+3"]),
    ])
  func running(strategy: FlattenStrategy, expected: [String]) {
    var log: [String] = []
    let started = SignalProducer<Int, Failure>([1, 2, 3]).flatMap(strategy) { value in
      SignalProducer<Int, Failure>.never.on(
        starting: { log.append("+\(value)") }, interrupted: { log.append("-\(value)") })
    }.start()
    #expect(log == expected)
    started.dispose()
  }

  @Test("a newer value disposes the producer of the older one")
  func latest() {
    let source = PublishSubject<Int>()
    let disposed = BehaviorRelay(value: 0)
    var values: [Int] = []
    let producer = SignalProducer<Int, Failure>([0]).flatMap(.merge) { _ in number(0) }
    #expect(events(of: producer) == ["value(0)", "completed"])
    let outer = SignalProducer<Int, Failure>([1, 2, 3])
    let inner = SignalProducer<Int, Failure>.never.on(interrupted: { disposed.accept(disposed.value + 1) })
    let started = outer.flatMap(.latest) { $0 < 3 ? inner : number($0) }.start {
      if case .value(let value) = $0 { values.append(value) }
    }
    #expect(values == [3])
    #expect(disposed.value == 2)
    started.dispose()
    source.onCompleted()
  }

  @Test("the error of an inner producer is that of the whole, unchanged by an outer mapError")
  func innerError() {
    let outer = number(1).mapError { _ in Failure.other("outer") }
    let producer = outer.flatMap(.concat) { _ in SignalProducer<Int, Failure>(error: .plain) }
    var errors: [Failure] = []
    producer.startWithFailed { errors.append($0) }
    #expect(errors == [.plain])
  }

  @Test("flatMap, flatMapError and then forward the errors that mapError has made of others")
  func mappedErrors() {
    let failing = SignalProducer<Int, OtherFailure>(error: .first).mapError { Failure.other("\($0)") }
    let producers = [
      failing.flatMap(.merge) { number($0) }, number(1).flatMap(.merge) { _ in failing },
      failing.then(number(1)), number(1).then(failing),
      SignalProducer<Int, Failure>(error: .plain).flatMapError { _ in failing },
    ]
    var errors: [Failure] = []
    for producer in producers { producer.startWithFailed { errors.append($0) } }
    #expect(errors == Array(repeating: .other("first"), count: 5))
  }

  @Test("mapError is called once for each error, and asObservable() fails with its result")
  func mapErrorOnce() {
    var calls = 0
    let failing = SignalProducer<Int, OtherFailure>(error: .first).mapError { error -> Failure in
      calls += 1
      return Failure.other("\(error)")
    }
    var errors: [Failure] = []
    failing.on(failed: { errors.append($0) }).startWithFailed { errors.append($0) }
    #expect(errors == [.other("first"), .other("first")])
    #expect(calls == 1)
    var error: (any Error)?
    _ = failing.asObservable().subscribe(onError: { error = $0 })
    #expect(error as? Failure == .other("first"))
  }

  @Test("flatMapError replaces an error, also by another error")
  func flatMapError() {
    let failing = SignalProducer<Int, Failure>(error: .plain)
    #expect(events(of: failing.flatMapError { _ in number(7) }) == ["value(7)", "completed"])
    var errors: [Failure] = []
    failing.flatMapError { SignalProducer<Int, Failure>(error: .other("\($0)")) }
      .startWithFailed { errors.append($0) }
    #expect(errors == [.other("plain")])
  }

  @Test("filter, take(first:), then and retry(upTo:) behave as in ReactiveSwift")
  func operators() {
    let numbers = SignalProducer<Int, Failure>([1, 2, 3, 4])
    #expect(events(of: numbers.filter { $0 > 2 }) == ["value(3)", "value(4)", "completed"])
    #expect(events(of: numbers.take(first: 1)) == ["value(1)", "completed"])
    #expect(events(of: numbers.then(number(9))) == ["value(9)", "completed"])
    var starts = 0
    let failing = SignalProducer<Int, Failure>(error: .plain).on(starting: { starts += 1 })
    #expect(events(of: failing.retry(upTo: 2)).count == 1)
    #expect(starts == 3)
  }

  @Test("take(first:) of no value, or of fewer, completes", arguments: [0, -1, Int.min])
  func noValues(count: Int) {
    #expect(events(of: SignalProducer<Int, Failure>([1, 2]).take(first: count)) == ["completed"])
  }

  @Test("a limit of concurrency below 1 counts as 1", arguments: [0, -1])
  func smallestLimit(limit: Int) {
    let producer = SignalProducer<Int, Failure>([1, 2]).flatMap(.concurrent(limit: limit)) { number($0) }
    #expect(events(of: producer) == ["value(1)", "value(2)", "completed"])
  }

  @Test("the producer of a failed result fails, and startWithResult receives the error")
  func failedResult() {
    var results: [Result<Int, Failure>] = []
    SignalProducer<Int, Failure>(result: .failure(.plain)).startWithResult { results.append($0) }
    #expect(results == [.failure(.plain)])
  }

  @Test("then starts the other producer only after the first one has completed")
  func thenWaits() {
    var starts = 0
    let started = SignalProducer<Int, Failure>.never.then(number(1).on(starting: { starts += 1 })).start()
    #expect(starts == 0)
    started.dispose()
  }

  @Test(
    "retry(upTo:) takes any number of further attempts",
    arguments: [(Int.max, 3), (2, 3), (1, 2), (0, 1), (Int.min, 1)])
  func attempts(count: Int, expected: Int) {
    var starts = 0
    // The third attempt succeeds.
    let work = number(0).flatMap(.concat) { _ -> SignalProducer<Int, Failure> in
      starts += 1
      return starts < 3 ? SignalProducer(error: .plain) : SignalProducer(value: starts)
    }
    #expect((events(of: work.retry(upTo: count)) == ["value(3)", "completed"]) == (expected == 3))
    #expect(starts == expected)
  }

  @Test("on calls its closures after the work has started, and with every event")
  func startsAndEvents() {
    var calls: [String] = []
    func observed(_ producer: SignalProducer<Int, Failure>) -> SignalProducer<Int, Failure> {
      producer.on(
        starting: { calls.append("starting") }, started: { calls.append("started") },
        event: { calls.append("\($0)") })
    }
    observed(.never).start().dispose()
    #expect(calls == ["starting", "started", "interrupted"])
    calls = []
    observed(number(1)).start()
    #expect(calls.filter { !$0.hasPrefix("start") } == ["value(1)", "completed"])
  }

  @Test("on passes the event of a failure to its closure, then the error")
  func failureEvent() {
    var calls: [String] = []
    SignalProducer<Int, Failure>(error: .plain).on(
      event: { event in
        if case .failed(let error) = event { calls.append("event \(error)") }
      },
      failed: { calls.append("failed \($0)") }
    ).start()
    #expect(calls == ["event plain", "failed plain"])
  }

  @Test("on passes each event to its closure before the closures for its kind")
  func eventsFirst() {
    var calls: [String] = []
    func observed(_ producer: SignalProducer<Int, Failure>) -> SignalProducer<Int, Failure> {
      producer.on(
        event: { calls.append("event \($0)") }, completed: { calls.append("completed") },
        interrupted: { calls.append("interrupted") }, value: { calls.append("value \($0)") })
    }
    observed(number(1)).start()
    #expect(calls == ["event value(1)", "value 1", "event completed", "completed"])
    calls = []
    observed(.never).start().dispose()
    #expect(calls == ["event interrupted", "interrupted"])
  }

  @Test("on reports the end of each start")
  func secondStart() {
    var calls: [String] = []
    let producer = number(1).on(
      completed: { calls.append("completed") }, terminated: { calls.append("terminated") })
    producer.start()
    producer.start()
    #expect(calls == ["completed", "terminated", "completed", "terminated"])
  }

  @Test("on calls its closures in order, for each way in which the work ends")
  func observation() {
    var calls: [String] = []
    func observed(_ producer: SignalProducer<Int, Failure>) -> SignalProducer<Int, Failure> {
      producer.on(
        starting: { calls.append("starting") }, started: { calls.append("started") },
        failed: { calls.append("failed \($0)") }, completed: { calls.append("completed") },
        interrupted: { calls.append("interrupted") }, terminated: { calls.append("terminated") },
        disposed: { calls.append("disposed") }, value: { calls.append("value \($0)") })
    }
    func run(_ producer: SignalProducer<Int, Failure>) -> [String] {
      calls = []
      observed(producer).start().dispose()
      return calls.filter { $0 != "started" }
    }
    #expect(run(number(1)) == ["starting", "value 1", "completed", "terminated", "disposed"])
    #expect(run(SignalProducer(error: .plain)) == ["starting", "failed plain", "terminated", "disposed"])
    #expect(run(.never) == ["starting", "interrupted", "terminated", "disposed"])
  }
}

package import ReactiveNetwork

/// Shows transfers until all have ended, or until a signal asks the program to end: then all are disposed.
///
/// - Returns: The number of failures, and the signal.
package func follow(_ names: [String], _ steps: Observable<Step>) throws -> (failures: Int, signal: Int32?) {
  let signal = BehaviorRelay<Int32?>(value: nil)
  let ticks = Observable<Int>.interval(
    .milliseconds(250), scheduler: ConcurrentDispatchQueueScheduler(qos: .utility))
  let board = try Observable.merge(steps.map(Optional.some), ticks.map { _ in nil })
    .take(until: endings().do(onNext: { signal.accept($0) }))
    // Serialized, because the steps come from several transfers at a time.
    .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "board"))
    .scan(into: Board(names)) { $0.take($1) }
    .do(onNext: { try output($0.text) })
    .take(until: \.isOver, behavior: .inclusive)
    .takeLast(1)
    .toBlocking().first()
  return (board?.failures ?? 0, signal.value)
}

package import ReactiveNetwork

/// Shows transfers until all have ended, or until a signal asks the program to end: then all are disposed.
///
/// - Returns: The number of failures, and the signal.
package func showProgress(of names: [String], _ updates: Observable<TransferUpdate>) throws -> (
  failures: Int, signal: Int32?
) {
  let signal = BehaviorRelay<Int32?>(value: nil)
  let ticks = Observable<Int>.interval(
    .milliseconds(250), scheduler: ConcurrentDispatchQueueScheduler(qos: .utility))
  let display = try Observable.merge(updates.map(Optional.some), ticks.map { _ in nil })
    .take(until: terminationSignals().do(onNext: { signal.accept($0) }))
    // Serialized, because the updates come from several transfers at a time.
    .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "progress"))
    .scan(into: ProgressDisplay(names)) { $0.handle($1) }
    .do(onNext: { try output($0.text) })
    .take(until: \.hasEnded, behavior: .inclusive)
    .takeLast(1)
    .toBlocking().first()
  return (display?.failures ?? 0, signal.value)
}

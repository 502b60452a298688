import Foundation
import ReactiveNetworkLock

/// A transfer that may have two copies, and delivers the events of one of them.
///
/// Events are serialized: the transport serializes those of each copy, and only one copy ever delivers.
final class HedgedTransfer: Transfer {
  private struct State {
    var handler: (@Sendable (TransferEvent) -> Void)?
    /// `nil` after the end, so that a token that outlives the transfer does not keep the transport alive.
    var transport: (any Transport)?
    var race = HedgeRace()
    var isCancelled = false
    var isPaused = false
    /// The tokens of the running copies.
    var copies: [HedgeRace.Copy: any Cancellable] = [:]
    /// The copies that have ended.
    var ended: Set<HedgeRace.Copy> = []
    /// The copies whose events are ignored: the loser, and a copy whose status the other copy may improve.
    var ignored: Set<HedgeRace.Copy> = []
    /// Without a response, only the end of a copy shows whether its metrics are those of the request.
    var metrics: [HedgeRace.Copy: TransferMetrics] = [:]
  }

  /// The actions that follow an event, which are taken outside the lock.
  private struct Step {
    var handler: (@Sendable (TransferEvent) -> Void)?
    /// The copies to cancel before the event is delivered.
    var spent: [any Cancellable] = []
    /// The token of a copy that has ended and the transport, which are released outside the lock.
    var released: (any Cancellable)?
    var transport: (any Transport)?
    /// The metrics to deliver before the end.
    var metrics: TransferMetrics?
    /// Whether no second copy is needed any more.
    var isDecided = false
    /// Whether the response time of the first copy is to be recorded.
    var isMeasured = false
  }

  private let request: TransportRequest
  private let policy: HedgePolicy
  private let delay: HedgeDelay
  /// Never starts: it only tells whether the second copy waits for a place, which delays nothing.
  private let secondWait: HedgeDelay
  private let state: Lock<State>

  init(
    _ request: TransportRequest, over transport: any Transport, _ policy: HedgePolicy,
    _ handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.request = request
    self.policy = policy
    delay = HedgeDelay(policy.currentDelay.inSeconds, scheduler: policy.scheduler, within: request.hedgeDelay)
    secondWait = HedgeDelay(0, scheduler: policy.scheduler, within: nil)
    state = Lock(State(handler: handler, transport: transport))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Sends the first copy, and the second one if the first is late.
  func begin() {
    start(.first)
    delay.start { [weak self] in self?.sendSecond() }
  }

  func cancel() {
    let copies = state.withLock { state in
      state.isCancelled = true
      state.race.cancel()
      return Array(state.copies.values)
    }
    delay.cancel()
    for token in copies { token.cancel() }
  }

  func pause() { setPaused(true) { $0.pause() } }

  func resume() { setPaused(false) { $0.resume() } }

  private func setPaused(_ isPaused: Bool, _ action: (any Transfer) -> Void) {
    let copies = state.withLock { state in
      state.isPaused = isPaused
      return Array(state.copies.values)
    }
    for case let copy as any Transfer in copies { action(copy) }
  }

  private func sendSecond() {
    guard state.withLock({ $0.race.isUndecided }), policy.budget.withdraw(),
      state.withLock({ $0.race.startSecond() })
    else { return }
    start(.second)
  }

  private func start(_ copy: HedgeRace.Copy) {
    guard let transport = state.withLock({ $0.transport }) else { return }
    var outgoing = request
    outgoing.hedgeDelay = copy == .first ? delay : secondWait
    let observer = copy == .second ? request.observer?.observer(ofCopy: request) : nil
    if copy == .second {
      outgoing.observer = observer
      if policy.usesNewConnection { outgoing.needsNewConnection = true }
    }
    let token = transport.startWithCertainEnd(outgoing) { event in
      if let observer { TransportThread.run { observer.receive(event) } }
      self.receive(event, of: copy)
    }
    let (mustCancel, isStored) = state.withLock { state in
      guard !state.ended.contains(copy) else { return (false, false) }
      // The request is over, or the other copy has won.
      guard state.handler != nil, !state.ignored.contains(copy) else { return (true, false) }
      state.copies[copy] = token
      return (state.isCancelled, true)
    }
    if mustCancel { token.cancel() }
    guard isStored, let token = token as? any Transfer else { return }
    token.follow { state.withLock { $0.isPaused } }
  }

  private func receive(_ event: TransferEvent, of copy: HedgeRace.Copy) {
    let step = state.withLock { state -> Step in
      switch event {
      case .head(let head): return receive(head, of: copy, &state)
      case .body: return Step(handler: state.race.hasWon(copy) ? state.handler : nil)
      case .metrics(let metrics): state.metrics[copy] = metrics
      // Requests that report their progress are not hedged.
      case .sent: break
      case .finished: return end(copy, &state)
      }
      return Step()
    }
    if step.isMeasured { policy.record(since: delay.began) }
    if step.isDecided { delay.cancel() }
    for token in step.spent { token.cancel() }
    guard let handler = step.handler else { return }
    // The other copy may have been sent.
    if case .finished(let error) = event {
      if let metrics = step.metrics, !isCancelled { handler(.metrics(metrics)) }
      handler(.finished(isCancelled ? .cancelled : error?.withoutProof))
    } else {
      handler(event)
    }
  }

  private func receive(_ head: ResponseHead, of copy: HedgeRace.Copy, _ state: inout State) -> Step {
    guard !state.ignored.contains(copy) else { return Step() }
    if head.isTransientFailure, !state.race.end(copy, secondWaits: secondWait.isPaused) {
      state.ignored.insert(copy)
      return Step()
    }
    guard state.race.respond(copy) else { return Step() }
    state.ignored.insert(copy.other)
    let spent = state.copies.removeValue(forKey: copy.other)
    // An overtaken first copy would have taken longer than this. A failed copy, which may be quick, has ended.
    return Step(
      handler: state.handler, spent: spent.map { [$0] } ?? [], isDecided: true,
      isMeasured: state.race.isFirstRunning)
  }

  private func end(_ copy: HedgeRace.Copy, _ state: inout State) -> Step {
    state.ended.insert(copy)
    let released = state.copies.removeValue(forKey: copy)
    guard !state.ignored.contains(copy), state.race.end(copy, secondWaits: secondWait.isPaused) else {
      return Step(released: released)
    }
    let spent = Array(state.copies.values)
    state.copies = [:]
    return Step(
      handler: state.handler.take(), spent: spent, released: released, transport: state.transport.take(),
      metrics: state.metrics[copy], isDecided: true)
  }
}

extension ResponseHead {
  /// Whether another copy may have a better response, because the status says that the server failed or is
  /// overloaded.
  var isTransientFailure: Bool { RetryPolicy.defaultRetryableHTTPStatusCodes.contains(statusCode) }
}

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
    var timer: (any Cancellable)?
    /// The reading of the clock when the first copy began.
    var began: TimeInterval
  }

  /// The actions that follow an event, which are taken outside the lock.
  private struct Step {
    var handler: (@Sendable (TransferEvent) -> Void)?
    /// The timer and the copies to cancel before the event is delivered.
    var spent: [any Cancellable] = []
    /// The token of a copy that has ended and the transport, which are released outside the lock.
    var released: (any Cancellable)?
    var transport: (any Transport)?
    /// The start of the first copy, if its response time is to be recorded.
    var measuredSince: TimeInterval?
  }

  private let request: TransportRequest
  private let policy: HedgePolicy
  private let state: Lock<State>

  init(
    _ request: TransportRequest, over transport: any Transport, _ policy: HedgePolicy,
    _ handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.request = request
    self.policy = policy
    state = Lock(State(handler: handler, transport: transport, began: policy.reading))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Sends the first copy, and the second one if the first is late.
  func begin() {
    let delay = policy.currentDelay
    start(.first)
    // A first copy that waits for a place in a limit is not late yet, and a second one would wait too.
    if let waiting = state.withLock({ $0.copies[.first] }) as? DeferredTransfer, waiting.isWaitForPlace {
      waiting.whenBegun { [weak self] in self?.startDelay(delay) }
    } else {
      startDelay(delay)
    }
  }

  private func startDelay(_ delay: TimeInterval) {
    let now = policy.reading
    let isUndecided = state.withLock { state in
      if state.race.isUndecided { state.began = now }
      return state.race.isUndecided
    }
    guard isUndecided else { return }
    let timer = policy.scheduler.schedule(after: delay) { [weak self] in self?.sendSecond() }
    let isLate = state.withLock { state in
      guard state.race.isUndecided else { return true }
      state.timer = timer
      return false
    }
    if isLate { timer.cancel() }
  }

  func cancel() {
    let spent = state.withLock { state in
      state.isCancelled = true
      state.race.cancel()
      return [state.timer.take()].compactMap { $0 } + state.copies.values
    }
    for token in spent { token.cancel() }
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
    let step = state.withLock { state in
      switch event {
      case .head(let head): Self.receive(head, of: copy, &state)
      case .body, .metrics: Step(handler: state.race.hasWon(copy) ? state.handler : nil)
      // Requests that report their progress are not hedged.
      case .sent: Step()
      case .finished: Self.end(copy, &state)
      }
    }
    if let began = step.measuredSince { policy.record(since: began) }
    for token in step.spent { token.cancel() }
    guard let handler = step.handler else { return }
    // The other copy may have been sent.
    if case .finished(let error) = event {
      handler(.finished(isCancelled ? .cancelled : error?.withoutProof))
    } else {
      handler(event)
    }
  }

  private static func receive(
    _ head: ResponseHead, of copy: HedgeRace.Copy, _ state: inout State
  ) -> Step {
    guard !state.ignored.contains(copy) else { return Step() }
    if head.isTransientFailure, state.race.isRunning(copy.other) {
      state.ignored.insert(copy)
      _ = state.race.end(copy)
      return Step()
    }
    guard state.race.respond(copy) else { return Step() }
    state.ignored.insert(copy.other)
    let spent = [state.timer.take(), state.copies.removeValue(forKey: copy.other)].compactMap { $0 }
    // An overtaken first copy would have taken longer than this.
    return Step(
      handler: state.handler, spent: spent,
      measuredSince: state.race.isRunning(.first) ? state.began : nil)
  }

  private static func end(_ copy: HedgeRace.Copy, _ state: inout State) -> Step {
    state.ended.insert(copy)
    let released = state.copies.removeValue(forKey: copy)
    guard !state.ignored.contains(copy), state.race.end(copy) else { return Step(released: released) }
    let spent = [state.timer.take()].compactMap { $0 } + state.copies.values
    state.copies = [:]
    return Step(
      handler: state.handler.take(), spent: spent, released: released, transport: state.transport.take())
  }
}

extension ResponseHead {
  /// Whether another copy may have a better response, because the status says that the server failed or is
  /// overloaded.
  var isTransientFailure: Bool { RetryPolicy.defaultRetryableHTTPStatusCodes.contains(statusCode) }
}

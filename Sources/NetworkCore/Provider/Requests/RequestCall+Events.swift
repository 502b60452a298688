import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestCall {
  func end(_ result: Result<Response, NetworkError>, turn: Int) {
    if state.withLock({ $0.finish(result, turn: turn) }) { deliverEvents() }
  }

  func deliverEvents() {
    if let queue { queue.async { self.runEvents() } } else { runEvents() }
  }

  private func runEvents() {
    while let step = state.withLock({ $0.next() }) {
      switch consume step {
      case .progress(let progress, let context): context.progress?(progress)
      case .received(let outcome, let context): context.receive(outcome)
      case .askRetriers(let outcome, let context, let turn):
        return askRetrier(0, about: outcome, turn: turn, context)
      case .end(let result, let context, let pending, released: _):
        context.pipeline.session.requests.remove(self)
        observation?.end(result)
        context.end(result, pending)
      }
    }
  }

  /// Asks the retriers in order, until one decides something other than `.doNotRetry`.
  private func askRetrier(
    _ index: Int, about outcome: Result<Response, NetworkError>, turn: Int, _ context: RequestContext
  ) {
    let retriers = context.pipeline.retriers
    guard index < retriers.count, let error = outcome.reasonToRetry else { return end(outcome, turn: turn) }
    let pending = FallbackCompletion(orElse: RetryResult.doNotRetry) { decision in
      guard let context = self.state.withLock({ $0.acceptReply(turn) }) else { return }
      switch decision {
      case .retry:
        self.observation?.report(kind: .retried(dueTo: error, after: 0))
        self.retry(turn: turn + 1, context)
      case .retryWithDelay(let seconds):
        self.observation?.report(kind: .retried(dueTo: error, after: seconds))
        self.retry(after: seconds, turn: turn + 1, context)
      case .doNotRetry: self.askRetrier(index + 1, about: outcome, turn: turn + 1, context)
      case .doNotRetryWithError(let error): self.end(.failure(NetworkError(wrapping: error)), turn: turn + 1)
      }
    }
    let (id, sent, count, attempt, authorizer) = state.withLock {
      ($0.makeID(), $0.sentRequest, $0.retryCount, $0.attempt, $0.authorizer)
    }
    let request = Request(
      id: id, request: sent, target: context.target, retryCount: count, attempt: attempt,
      authorizer: authorizer, answer: error.response, session: context.pipeline.session,
      token: self)
    retriers[index].retry(request, for: context.pipeline.session, dueTo: error) { pending($0) }
  }

  private func retry(after seconds: TimeInterval, turn: Int, _ context: RequestContext) {
    let delay = context.pipeline.scheduler.schedule(after: seconds) {
      guard let context = self.state.withLock({ $0.acceptReply(turn) }) else { return }
      self.retry(turn: turn + 1, context)
    }
    attach(delay, turn: turn)
  }

  /// Starts the queued attempts in a loop, so that responses that arrive at once do not grow the stack.
  private func retry(turn first: Int, _ context: RequestContext) {
    var next = state.withLock { $0.queueRetry(first) }
    while let turn = next {
      if let request = state.withLock({ $0.retry(turn) }) { prepare(request, from: 0, turn: turn, context) }
      next = state.withLock { $0.nextRetry() }
    }
  }
}

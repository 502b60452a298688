import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestCall {
  func end(
    _ result: Result<Response, NetworkError>, replyNumber: Int, on scheduler: (any DelayScheduler)? = nil
  ) {
    if state.withLock({ $0.finish(result, replyNumber: replyNumber) }) { deliverEvents(on: scheduler) }
  }

  /// Delivers the pending events: on the queue of the call, or else on the scheduler, or on this thread if
  /// there is neither.
  func deliverEvents(on scheduler: (any DelayScheduler)? = nil) {
    if let queue {
      queue.async { self.runEvents() }
    } else if let scheduler {
      _ = scheduler.schedule(after: .zero) { self.runEvents() }
    } else {
      runEvents()
    }
  }

  private func runEvents() {
    while let step = state.withLock({ $0.next() }) {
      switch consume step {
      case .progress(let progress, let context): context.progress?(progress)
      case .received(let attemptResult, let context): context.receive(attemptResult)
      case .consultRetriers(let attemptResult, let context, let replyNumber):
        return consultRetrier(0, about: attemptResult, replyNumber: replyNumber, context)
      case .end(let result, let context, let latest, let needsDidReceive, released: _):
        context.pipeline.session.requests.remove(self)
        let finish: @Sendable () -> Void = {
          if needsDidReceive { context.receive(result) }
          context.end(result, after: latest)
        }
        let isLate = observation?.end(result) { [queue] in
          if let queue { queue.async(execute: finish) } else { finish() }
        }
        if isLate != true { finish() }
      }
    }
  }

  /// Asks the retriers in order, until one decides something other than `.doNotRetry`.
  private func consultRetrier(
    _ index: Int, about attemptResult: Result<Response, NetworkError>, replyNumber: Int,
    _ context: RequestContext
  ) {
    let retriers = context.pipeline.retriers
    guard index < retriers.count, let error = attemptResult.reasonToRetry else {
      return end(attemptResult, replyNumber: replyNumber)
    }
    let pending = FallbackCompletion(orElse: RetryResult.doNotRetry) { decision in
      guard let context = self.state.withLock({ $0.acceptReply(replyNumber) }) else { return }
      switch decision {
      case .retry:
        self.observation?.report(kind: .retried(dueTo: error, after: .zero))
        self.retry(replyNumber: replyNumber + 1, context)
      case .retryWithDelay(let seconds):
        let delay = Duration.inSeconds(seconds)
        self.observation?.report(kind: .retried(dueTo: error, after: delay))
        self.retry(after: delay, replyNumber: replyNumber + 1, context)
      case .doNotRetry:
        self.consultRetrier(index + 1, about: attemptResult, replyNumber: replyNumber + 1, context)
      case .doNotRetryWithError(let final):
        let failure = NetworkError(wrapping: final)
        self.end(
          attemptResult.isAccepted(despite: failure) ? attemptResult : .failure(failure),
          replyNumber: replyNumber + 1)
      }
    }
    let reading = context.pipeline.clock?.uptime.inSeconds ?? 0
    let (id, sent, count, attempt, began, authorizer) = state.withLock {
      ($0.makeID(), $0.sentRequest, $0.retryCount, $0.attempt, $0.began, $0.authorizer)
    }
    let request = Request(
      id: id, request: sent, target: context.target, retryCount: count, attempt: attempt,
      elapsed: max(0, reading - began), failureTime: context.pipeline.clock?.now ?? Date(),
      authorizer: authorizer, receivedResponse: error.response, session: context.pipeline.session,
      token: self, attach: { self.attach($0, replyNumber: replyNumber) })
    // A cancellation may have come since the attempt ended.
    guard isWaiting(forReply: replyNumber) else { return }
    retriers[index].retry(request, for: context.pipeline.session, dueTo: error) { pending($0) }
  }

  private func retry(after delay: Duration, replyNumber: Int, _ context: RequestContext) {
    let timer = context.pipeline.scheduler.schedule(after: delay) {
      guard let context = self.state.withLock({ $0.acceptReply(replyNumber) }) else { return }
      self.retry(replyNumber: replyNumber + 1, context)
    }
    attach(timer, replyNumber: replyNumber)
  }

  /// Starts the queued attempts in a loop, so that responses that arrive at once do not grow the stack.
  private func retry(replyNumber first: Int, _ context: RequestContext) {
    var next = state.withLock { $0.retryTurn.begin(first) }
    while let replyNumber = next {
      if let request = state.withLock({ $0.retry(replyNumber) }) {
        prepare(request, from: 0, replyNumber: replyNumber, context)
      }
      next = state.withLock { $0.retryTurn.next() }
    }
  }
}

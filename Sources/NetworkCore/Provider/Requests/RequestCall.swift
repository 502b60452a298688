import Dispatch
import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request, from the `requestClosure` to the completion.
final class RequestCall: Cancellable {
  let queue: DispatchQueue?
  let validation: ResponseValidation
  let observation: RequestObservation?
  let isStub: Bool
  let state: Lock<RequestState>

  init(_ context: RequestContext, validation: ResponseValidation, queue: DispatchQueue?) {
    self.queue = queue
    self.validation = validation
    self.observation = context.observation
    self.isStub = context.source.isStub
    self.state = Lock(RequestState(context))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether the reply with this number is pending.
  func isWaiting(forReply replyNumber: Int) -> Bool { state.withLock { $0.isWaiting(forReply: replyNumber) } }

  func cancel() { cancelWork()?() }

  /// Cancels the work of the request, and returns the delivery of its end; `nil` if the end was delivered or
  /// a cancellation is pending.
  ///
  /// The work comes first, because the user's code in the delivery may block. For the last caller of a shared
  /// transfer, the plugins are also notified of the end of the transfer first.
  func cancelWork() -> (() -> Void)? {
    guard let (mustDeliver, work, delivery, spent) = state.withLock({ $0.cancel() }) else { return nil }
    withExtendedLifetime(spent) {}
    work?.cancel()
    return {
      delivery?.releaseResources {
        if self.state.withLock({ $0.didCloseDelivery() }) { self.deliverEvents() }
      }
      if mustDeliver { self.deliverEvents() }
    }
  }

  /// Continues with the result of the `requestClosure`.
  func begin(_ built: Result<URLRequest, NetworkError>) {
    guard let context = state.withLock({ $0.acceptReply(RequestState.firstReplyNumber) }) else { return }
    switch built {
    case .failure(let error):
      end(.failure(error), replyNumber: 1)
    case .success(var request):
      request.setFormContentType()
      context.pipeline.session.applyDefaults(&request, of: context.target)
      let reading = context.pipeline.clock?.uptime.inSeconds ?? 0
      state.withLock { [request] in $0.storeOriginal(request, at: reading) }
      prepare(request, from: 0, replyNumber: 1, context)
    }
  }

  /// Reports progress of an attempt; see `deliverEvents(on:)`.
  func report(_ progress: ProgressResponse, replyNumber: Int, on scheduler: (any DelayScheduler)?) {
    guard isWaiting(forReply: replyNumber) else { return }
    throttle(on: scheduler) { $0.report(progress, replyNumber: replyNumber, now: $1) }
  }

  /// Delivers progress, or schedules it for later.
  private func throttle(
    on scheduler: (any DelayScheduler)? = nil,
    _ report: (inout RequestState, Date) -> (mustDeliver: Bool, wait: TimeInterval?)
  ) {
    guard let clock = state.withLock({ $0.progressClock }) else { return }
    let now = clock.now
    let (mustDeliver, wait) = state.withLock { report(&$0, now) }
    if mustDeliver { deliverEvents(on: scheduler) }
    guard let wait else { return }
    // The delay is not cancelled with the request: it is short, and keeps nothing alive.
    _ = clock.schedule(after: .inSeconds(wait)) { [weak self] in
      self?.throttle { $0.resumeProgress(now: $1) }
    }
  }

  /// Validates the result of an attempt, and ends the attempt; see `deliverEvents(on:)`.
  func finishAttempt(
    _ result: Result<Response, NetworkError>, replyNumber: Int, on scheduler: (any DelayScheduler)? = nil
  ) {
    let validated = result.flatMap { response in
      validation.error(for: response).map { .failure($0) } ?? .success(response)
    }
    end(validated, replyNumber: replyNumber, on: scheduler)
  }
}

import Dispatch
import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request on its way from the `requestClosure` to the completion.
final class RequestCall: Cancellable {
  let queue: DispatchQueue?
  let validation: ResponseValidation
  let state: Lock<RequestState>

  init(_ context: RequestContext, validation: ResponseValidation, queue: DispatchQueue?) {
    self.queue = queue
    self.validation = validation
    self.state = Lock(RequestState(context))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether the answer with this number is still waited for.
  func isWaiting(for turn: Int) -> Bool { state.withLock { $0.isWaiting(for: turn) } }

  func cancel() {
    guard let (mustTell, work, delivery) = state.withLock({ $0.cancel() }) else { return }
    delivery?.abandon { if self.state.withLock({ $0.isAbandoned() }) { self.tell() } }
    // The last of those who share a transfer is told after the plugins have been told of the transfer's end.
    if let membership = work as? SharedMembership {
      membership.cancel()
      if mustTell { tell() }
      return
    }
    if mustTell { tell() }
    work?.cancel()
  }

  /// Goes on with what the `requestClosure` has made.
  func begin(_ built: Result<URLRequest, NetworkError>) {
    guard let context = state.withLock({ $0.proceed(RequestState.firstTurn) }) else { return }
    switch built {
    case .failure(let error):
      end(.failure(error), turn: 1)
    case .success(var request):
      request.nameForm()
      context.pipeline.session.complete(&request, of: context.target)
      state.withLock { [request] in $0.keep(original: request) }
      prepare(request, from: 0, turn: 1, context)
    }
  }

  /// The request has come further.
  func report(_ progress: ProgressResponse, turn: Int) {
    guard isWaiting(for: turn) else { return }
    pace { $0.report(progress, turn: turn, now: $1) }
  }

  /// Tells of progress, or has that wait.
  private func pace(_ report: (inout RequestState, Date) -> (tell: Bool, wait: TimeInterval?)) {
    guard let clock = state.withLock({ $0.progressClock }) else { return }
    let now = clock.now
    let (mustTell, wait) = state.withLock { report(&$0, now) }
    if mustTell { tell() }
    guard let wait else { return }
    // It is not cancelled with the request: it is over in no time, and keeps nothing alive.
    _ = clock.schedule(after: wait) { [weak self] in self?.pace { $0.resumeProgress(now: $1) } }
  }

  /// An attempt has ended.
  func settle(_ result: Result<Response, NetworkError>, turn: Int) {
    let validated = result.flatMap { response in
      validation.error(for: response).map { .failure($0) } ?? .success(response)
    }
    end(validated, turn: turn)
  }
}

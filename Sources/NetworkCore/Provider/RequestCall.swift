import Dispatch
import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request on its way from the `requestClosure` to the completion.
final class RequestCall: Cancellable {
  private let queue: DispatchQueue?
  private let validation: ResponseValidation
  private let state: Lock<RequestState>

  init(_ context: RequestContext, validation: ResponseValidation, queue: DispatchQueue?) {
    self.queue = queue
    self.validation = validation
    self.state = Lock(RequestState(context))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func cancel() {
    let (mustTell, transfer) = state.withLock { $0.cancel() }
    if mustTell { tell() }
    transfer?.cancel()
  }

  /// Goes on with what the `requestClosure` has made.
  func begin(_ built: @autoclosure () -> Result<URLRequest, NetworkError>) {
    guard let context = state.withLock({ $0.prepare() }) else { return }
    switch built() {
    case .failure(let error):
      settle(.failure(error))
    case .success(let request):
      let plugins = context.plugins
      let prepared = plugins.reduce(request) { $1.prepare($0, target: context.target) }
      guard state.withLock({ $0.announce() }) else { return }
      var outgoing = prepared
      if !plugins.isEmpty {
        let announced = PreparedRequest(request: prepared, sessionHeaders: context.source.sessionHeaders)
        for plugin in plugins { plugin.willSend(announced, target: context.target) }
        outgoing = announced.authenticated(prepared)
      }
      guard state.withLock({ $0.isAnnounced() }) else { return tell() }
      start(outgoing, from: context.source, wantsProgress: context.progress != nil)
    }
  }

  private func start(_ request: URLRequest, from source: RequestSource, wantsProgress: Bool) {
    switch source {
    case .transport(let transport):
      do {
        let isUpload = request.httpBody.map { $0.count >= TransferRecord.smallestUploadWithProgress } ?? false
        let outgoing = try TransportRequest(request, reportsProgress: wantsProgress && isUpload)
        let reception = Reception(
          call: self, request: request, isUpload: isUpload, wantsProgress: wantsProgress)
        attach(transport.start(outgoing, handler: reception.receive))
      } catch {
        settle(.failure(error))
      }
    case .sample(let endpoint, after: nil):
      settle(endpoint.sample(for: request))
    case .sample(let endpoint, after: let seconds?):
      attach(StubTimer(seconds: seconds) { self.settle(endpoint.sample(for: request)) })
    }
  }

  private func attach(_ transfer: any Cancellable) {
    if state.withLock({ $0.attach(transfer) }) { transfer.cancel() }
  }

  /// The request has come further.
  func report(_ progress: ProgressResponse) {
    if state.withLock({ $0.report(progress) }) { tell() }
  }

  /// The request has ended.
  func settle(_ result: Result<Response, NetworkError>) {
    let validated = result.flatMap { response in
      validation.error(for: response).map { .failure($0) } ?? .success(response)
    }
    if state.withLock({ $0.settle(validated) }) { tell() }
  }

  private func tell() {
    if let queue { queue.async { self.tellAll() } } else { tellAll() }
  }

  private func tellAll() {
    while let step = state.withLock({ $0.next() }) {
      switch step {
      case .progress(let progress, let context): context.progress?(progress)
      case .end(let result, let context, let wasSent, spent: _): context.end(result, wasSent: wasSent)
      }
    }
  }
}

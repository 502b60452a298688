import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestCall {
  /// Runs the steps of the preparation from `first` on.
  ///
  /// When an asynchronous step has replied, it calls this method again for the next step.
  func prepare(_ request: URLRequest, from first: Int, replyNumber: Int, _ context: RequestContext) {
    var request = request
    let preparations = context.pipeline.preparations
    for index in first..<preparations.count {
      switch preparations[index] {
      case .plugin(let plugin):
        let prepared = preparing { plugin.prepare(request, target: context.target) }
        recordAuthorizer(type(of: plugin), changing: request, to: prepared, context)
        request = prepared
      case .adapter(let adapter):
        let pending = FallbackCompletion(
          orElse: .failure(UncalledCompletionError(owner: "adapter")),
          continuation(at: index + 1, replyNumber: replyNumber, after: type(of: adapter), request))
        let (id, retryCount) = state.withLock { ($0.makeID(), $0.retryCount) }
        let adapterState = RequestAdapterState(
          requestID: id, session: context.pipeline.session, retryCount: retryCount,
          attach: { self.attach($0, replyNumber: replyNumber) })
        return adapter.adapt(request, using: adapterState) { pending($0) }
      case .asyncPlugin(let plugin):
        let started = request
        let target = context.target
        let resume = continuation(at: index + 1, replyNumber: replyNumber, after: type(of: plugin), request)
        let task = _Concurrency.Task {
          do {
            resume(.success(try await plugin.prepare(started, for: target)))
          } catch {
            resume(.failure(error))
          }
        }
        return attach(TaskToken(task), replyNumber: replyNumber)
      }
    }
    send(request, replyNumber: replyNumber, context)
  }

  private func recordAuthorizer(
    _ step: Any.Type, changing old: URLRequest, to new: URLRequest, _ context: RequestContext
  ) {
    guard !context.pipeline.retriers.isEmpty else { return }
    state.withLock { $0.recordAuthorizer(step, changing: old, to: new) }
  }

  private func continuation(
    at index: Int, replyNumber: Int, after step: Any.Type, _ old: URLRequest
  ) -> @Sendable (Result<URLRequest, any Error>) -> Void {
    { reply in
      guard let context = self.state.withLock({ $0.acceptReply(replyNumber) }) else { return }
      switch reply {
      case .success(let request):
        self.recordAuthorizer(step, changing: old, to: request, context)
        self.prepare(request, from: index, replyNumber: replyNumber + 1, context)
      case .failure(let error):
        self.end(.failure(NetworkError(wrapping: error)), replyNumber: replyNumber + 1)
      }
    }
  }

  private func send(_ request: URLRequest, replyNumber: Int, _ context: RequestContext) {
    guard let delivery = context.delivery else {
      return notifyWillSend(request, replyNumber: replyNumber, context)
    }
    delivery.prepare(request, isStub: context.source.isStub) { prepared in
      guard let context = self.state.withLock({ $0.acceptReply(replyNumber) }) else { return }
      switch prepared {
      case .success(let request): self.notifyWillSend(request, replyNumber: replyNumber + 1, context)
      case .failure(let error): self.end(.failure(error), replyNumber: replyNumber + 1)
      }
    }
  }

  private func notifyWillSend(_ request: URLRequest, replyNumber: Int, _ context: RequestContext) {
    var request = request
    guard state.withLock({ $0.startWillSend(replyNumber) }) else { return }
    var credential: CurlConfiguration.Credential?
    if !context.pipeline.plugins.isEmpty {
      let prepared = PreparedRequest(request: request, sessionHeaders: context.source.sessionHeaders)
      preparing {
        for plugin in context.pipeline.plugins { plugin.willSend(prepared, target: context.target) }
      }
      credential = prepared.authenticate(&request)
    }
    guard state.withLock({ $0.endWillSend(sending: request) }) else { return deliverEvents() }
    start(request, credential, replyNumber: replyNumber + 1, context)
  }

  private func start(
    _ request: URLRequest, _ credential: CurlConfiguration.Credential?, replyNumber: Int,
    _ context: RequestContext
  ) {
    if let delivery = context.delivery {
      return start(request, credential, replyNumber: replyNumber, context, delivery)
    }
    switch context.source {
    case .transport(let transport):
      do {
        let wantsProgress = context.progress != nil
        let isUpload = request.isUpload
        var outgoing = try context.makeTransportRequest(
          request, reportsProgress: (wantsProgress || observation != nil) && isUpload)
        outgoing.credential = credential
        let receiver = ResponseReceiver(
          call: self, replyNumber: replyNumber, request: request, isUpload: isUpload,
          wantsProgress: wantsProgress,
          mayBeRetried: !context.pipeline.retriers.isEmpty)
        attach(transport.start(outgoing, handler: receiver.receive), replyNumber: replyNumber)
      } catch {
        finishAttempt(.failure(error), replyNumber: replyNumber)
      }
    case .stub(let stub):
      let pending = FallbackCompletion(
        orElse: .failure(.underlying(UncalledCompletionError(owner: "stub"), nil))
      ) { result in
        self.finishAttempt(stubbed: result, within: context.responseBodyLimit, replyNumber: replyNumber)
      }
      attach(stub(request) { pending($0) }, replyNumber: replyNumber)
    }
  }

  /// Ends an attempt like a transport that receives the whole body in one piece.
  private func finishAttempt(
    stubbed result: Result<Response, NetworkError>, within limit: Int?, replyNumber: Int
  ) {
    if case .success(let response) = result, !response.data.isEmpty {
      if let limit, response.data.count > limit {
        let head = Response(copying: response, data: Data(), metrics: nil)
        return finishAttempt(
          .failure(.underlying(TransferError.responseTooLarge(limit: limit), head)), replyNumber: replyNumber)
      }
      let count = Int64(response.data.count)
      report(ProgressResponse(completed: count, total: count), replyNumber: replyNumber)
    }
    finishAttempt(result, replyNumber: replyNumber)
  }

  func attach(_ work: any Cancellable, replyNumber: Int) {
    let (mustCancel, previous) = state.withLock { $0.attach(work, replyNumber: replyNumber) }
    withExtendedLifetime(previous) {}
    if mustCancel { work.cancel() }
  }
}

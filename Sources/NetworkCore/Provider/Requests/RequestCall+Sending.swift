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
        // Only the plugin has a current request, and not the steps after it, which the task runs as well.
        let task = RequestID.$current.withValue(nil) {
          _Concurrency.Task {
            do {
              let prepared = try await self.preparing { try await plugin.prepare(started, for: target) }
              resume(.success(prepared))
            } catch {
              resume(.failure(error))
            }
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
    let (mustSend, previous) = state.withLock { $0.endWillSend(sending: request) }
    withExtendedLifetime(previous) {}
    guard mustSend else { return deliverEvents() }
    start(request, credential, replyNumber: replyNumber + 1, context)
  }

  private func start(
    _ request: URLRequest, _ credential: CurlConfiguration.Credential?, replyNumber: Int,
    _ context: RequestContext
  ) {
    if let delivery = context.delivery {
      return start(request, credential, replyNumber: replyNumber, context, delivery)
    }
    let attempt = RequestAttempt(
      call: self, replyNumber: replyNumber, request: request, isStub: context.source.isStub,
      wantsProgress: context.progress != nil)
    do throws(NetworkError) {
      if let inflight = context.inflight,
        let outgoing = try context.makeShareableRequest(request, credential)
      {
        share(attempt, outgoing, in: inflight, context)
      } else {
        let token = try startTransfer(for: attempt, context) { () throws(NetworkError) in
          try context.makeTransportRequest(request, credential)
        }
        attach(token, replyNumber: replyNumber)
      }
    } catch {
      attempt.finish(.failure(error))
    }
  }

  /// Joins the transfer of an attempt that sends an equal request, or starts one that others can join.
  private func share(
    _ attempt: RequestAttempt, _ outgoing: TransportRequest, in inflight: InflightTable,
    _ context: RequestContext
  ) {
    let key = InflightTable.Key(outgoing, attempt.request.form, isStub: attempt.isStub)
    let observation = context.pipeline.observers.observation(by: nil)
    let scheduler = context.pipeline.scheduler
    inflight.join(attempt, key, observation: observation, scheduler: scheduler) { shared in
      observation?.report(
        kind: .queued(
          .init(target: context.target, method: outgoing.method, url: outgoing.url, cause: .shared)))
      shared.token.store(self.startTransfer(for: shared, context) { outgoing })
    }
  }

  private func startTransfer<Failure: Error>(
    for recipient: some TransferRecipient, _ context: RequestContext,
    _ makeRequest: () throws(Failure) -> TransportRequest
  ) throws(Failure) -> any Cancellable {
    switch context.source {
    case .transport(let transport):
      var outgoing = try makeRequest()
      outgoing.reportsProgress =
        (recipient.wantsProgress || recipient.observation != nil) && recipient.request.isUpload
      recipient.observation?.observe(&outgoing)
      let receiver = ResponseReceiver(recipient, mayBeRetried: !context.pipeline.retriers.isEmpty)
      return transport.startWithCertainEnd(outgoing, handler: receiver.receive)
    case .stub(let stub, _):
      let limit = context.responseBodyLimit
      let mayBeRetried = !context.pipeline.retriers.isEmpty
      let pending = FallbackCompletion(
        orElse: .failure(.underlying(UncalledCompletionError(owner: "stub"), nil))
      ) { result in
        recipient.finish(stubbed: result, within: limit, mayBeRetried: mayBeRetried)
      }
      return stub(recipient.request) { pending($0) }
    }
  }

  func attach(_ work: any Cancellable, replyNumber: Int) {
    let (mustCancel, previous) = state.withLock { $0.attach(work, replyNumber: replyNumber) }
    withExtendedLifetime(previous) {}
    if mustCancel { work.cancel() }
  }
}

import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestCall {
  /// Takes the steps of the preparation, those that answer later by coming back here.
  func prepare(_ request: URLRequest, from first: Int, turn: Int, _ context: RequestContext) {
    var request = request
    let preparations = context.pipeline.preparations
    for index in first..<preparations.count {
      switch preparations[index] {
      case .plugin(let plugin):
        let prepared = plugin.prepare(request, target: context.target)
        note(type(of: plugin), changing: request, to: prepared, context)
        request = prepared
      case .adapter(let adapter):
        let pending = Awaited(
          orElse: .failure(UnansweredRequest(asked: "adapter")),
          goingOn(at: index + 1, turn: turn, after: type(of: adapter), request))
        let (id, retryCount) = state.withLock { ($0.identify(), $0.retryCount) }
        let adapterState = RequestAdapterState(
          requestID: id, session: context.pipeline.session, retryCount: retryCount)
        return adapter.adapt(request, using: adapterState) { pending($0) }
      case .asyncPlugin(let plugin):
        let started = request
        let target = context.target
        let goOn = goingOn(at: index + 1, turn: turn, after: type(of: plugin), request)
        let task = _Concurrency.Task {
          do {
            goOn(.success(try await plugin.prepare(started, for: target)))
          } catch {
            goOn(.failure(error))
          }
        }
        return attach(TaskToken(task), turn: turn)
      }
    }
    send(request, turn: turn, context)
  }

  private func note(
    _ step: Any.Type, changing old: URLRequest, to new: URLRequest, _ context: RequestContext
  ) {
    guard !context.pipeline.retriers.isEmpty else { return }
    state.withLock { $0.note(step, changing: old, to: new) }
  }

  private func goingOn(
    at index: Int, turn: Int, after step: Any.Type, _ old: URLRequest
  ) -> @Sendable (Result<URLRequest, any Error>) -> Void {
    { answer in
      guard let context = self.state.withLock({ $0.proceed(turn) }) else { return }
      switch answer {
      case .success(let request):
        self.note(step, changing: old, to: request, context)
        self.prepare(request, from: index, turn: turn + 1, context)
      case .failure(let error): self.end(.failure(NetworkError(wrapping: error)), turn: turn + 1)
      }
    }
  }

  private func send(_ request: URLRequest, turn: Int, _ context: RequestContext) {
    guard let delivery = context.delivery else { return announce(request, turn: turn, context) }
    delivery.prepare(request, isStub: context.source.isStub) { prepared in
      guard let context = self.state.withLock({ $0.proceed(turn) }) else { return }
      switch prepared {
      case .success(let request): self.announce(request, turn: turn + 1, context)
      case .failure(let error): self.end(.failure(error), turn: turn + 1)
      }
    }
  }

  private func announce(_ request: URLRequest, turn: Int, _ context: RequestContext) {
    var request = request
    guard state.withLock({ $0.announce(turn) }) else { return }
    var credential: CurlConfiguration.Credential?
    if !context.pipeline.plugins.isEmpty {
      let announced = PreparedRequest(request: request, sessionHeaders: context.source.sessionHeaders)
      for plugin in context.pipeline.plugins { plugin.willSend(announced, target: context.target) }
      credential = announced.authenticate(&request)
    }
    guard state.withLock({ $0.isAnnounced(sending: request) }) else { return tell() }
    start(request, credential, turn: turn + 1, context)
  }

  private func start(
    _ request: URLRequest, _ credential: CurlConfiguration.Credential?, turn: Int, _ context: RequestContext
  ) {
    if let delivery = context.delivery { return start(request, credential, turn: turn, context, delivery) }
    switch context.source {
    case .transport(let transport):
      do {
        let wantsProgress = context.progress != nil
        let isUpload = request.isUpload
        var outgoing = try context.outgoing(request, reportsProgress: wantsProgress && isUpload)
        outgoing.credential = credential
        let reception = Reception(
          call: self, turn: turn, request: request, isUpload: isUpload, wantsProgress: wantsProgress,
          mayBeRetried: !context.pipeline.retriers.isEmpty)
        attach(transport.start(outgoing, handler: reception.receive), turn: turn)
      } catch {
        settle(.failure(error), turn: turn)
      }
    case .stub(let stub):
      let pending = Awaited(orElse: .failure(.underlying(UnansweredRequest(asked: "stub"), nil))) { result in
        self.settle(stubbed: result, within: context.responseBodyLimit, turn: turn)
      }
      attach(stub(request) { pending($0) }, turn: turn)
    }
  }

  /// Ends an attempt as a transport would that gets the whole body at once.
  private func settle(stubbed result: Result<Response, NetworkError>, within limit: Int?, turn: Int) {
    if case .success(let response) = result, !response.data.isEmpty {
      if let limit, response.data.count > limit {
        let head = Response(copying: response, data: Data(), metrics: nil)
        return settle(.failure(.underlying(TransferError.responseTooLarge(limit: limit), head)), turn: turn)
      }
      let count = Int64(response.data.count)
      report(ProgressResponse(completed: count, total: count), turn: turn)
    }
    settle(result, turn: turn)
  }

  func attach(_ work: any Cancellable, turn: Int) {
    let (mustCancel, spent) = state.withLock { $0.attach(work, turn: turn) }
    withExtendedLifetime(spent) {}
    if mustCancel { work.cancel() }
  }
}

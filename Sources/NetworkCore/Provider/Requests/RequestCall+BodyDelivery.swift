import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestCall {
  /// Starts an attempt whose response body is not kept in memory.
  func start(
    _ request: URLRequest, _ credential: CurlConfiguration.Credential?, replyNumber: Int,
    _ context: RequestContext,
    _ delivery: any BodyDelivery
  ) {
    let attempt = RequestAttempt(
      call: self, replyNumber: replyNumber, request: request, isStub: context.source.isStub)
    switch context.source {
    case .transport(let transport):
      do {
        var outgoing = try context.makeTransportRequest(request, credential)
        outgoing.handsOverTransfer = true
        try delivery.complete(&outgoing, for: transport)
        if let observation {
          outgoing.reportsProgress = request.isUpload
          observation.observe(&outgoing)
          // Observers may block.
          outgoing.deliversOnLoop = context.deliversOnLoop
        }
        let receiver = delivery.receiver(of: attempt)
        let token = transport.startWithCertainEnd(outgoing, handler: receiver.receive)
        receiver.attach(token)
        attach(token, replyNumber: replyNumber)
      } catch {
        delivery.undoPreparation()
        finishAttempt(.failure(error), replyNumber: replyNumber)
      }
    case .stub(let stub, _):
      let socket = PendingToken()
      let pending = FallbackCompletion(
        orElse: .failure(.underlying(UncalledCompletionError(owner: "stub"), nil))
      ) { result in
        self.deliver(result, to: delivery, attempt, context, socket)
      }
      let response = stub(request) { pending($0) }
      let token = CancellableToken {
        response.cancel()
        socket.cancel()
      }
      attach(token, replyNumber: replyNumber)
    }
  }

  /// Delivers a stub's response as if it had come over the wire.
  private func deliver(
    _ result: Result<Response, NetworkError>, to delivery: any BodyDelivery, _ attempt: RequestAttempt,
    _ context: RequestContext, _ socket: PendingToken
  ) {
    guard attempt.isWaiting else { return }
    switch result {
    case .success(let response):
      let receiver = delivery.receiver(of: attempt)
      receiver.receiveHead(Response(copying: response, data: Data(), metrics: nil))
      if let script = response.script,
        let played = delivery.play(script, to: receiver, of: attempt, context.pipeline.scheduler)
      {
        socket.store(played)
      } else if let limit = context.responseBodyLimit, response.data.count > limit {
        receiver.finish(.responseTooLarge(limit: limit))
      } else {
        if !response.data.isEmpty { receiver.append(response.data) }
        receiver.finish(nil)
      }
    case .failure(let error):
      delivery.undoPreparation()
      attempt.finish(.failure(error))
    }
  }
}

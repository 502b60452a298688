import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Receives the events of a transfer whose body does not go to memory, and fills a buffer with the body.
final class BodyReceiver: Sendable {
  /// The maximum number of bytes that are kept of the body of a rejected response.
  static let rejectedBodyLimit = 1 << 20

  private struct State {
    var token: (any Cancellable)?
    var response: Response?
    var metrics: TransferMetrics?
    /// Turns a rejected response into the result; `nil` for an accepted response.
    var rejection: HeadDecision.Rejection?
    var body = Data()
    /// Whether the rejected response has more bytes than `body` may have.
    var isCut = false
    var isOver = false
    /// Whether the transfer must be cancelled because the request no longer waits for it.
    var cancelsTransfer = false
  }

  private let attempt: RequestAttempt
  private let buffer: BodyBuffer
  /// The number of the transfer in the buffer.
  private let transfer: Int
  private let decide: @Sendable (Response) -> HeadDecision
  private let onEnd: @Sendable (Result<Response, NetworkError>) -> Void
  private let onRejection: @Sendable (_ finish: @escaping @Sendable () -> Void) -> Void
  private let state = Lock(State())

  /// Creates a receiver.
  ///
  /// - Parameters:
  ///   - attempt: the attempt whose response it receives.
  ///   - buffer: the destination of the body.
  ///   - decide: accepts or rejects a response by its head.
  ///   - onEnd: receives the result of a transfer whose response was accepted or did not arrive.
  ///   - onRejection: called instead for a rejected response; calls its argument, on any thread, to end the
  ///     attempt.
  init(
    of attempt: RequestAttempt, buffer: BodyBuffer, decide: @escaping @Sendable (Response) -> HeadDecision,
    onEnd: @escaping @Sendable (Result<Response, NetworkError>) -> Void,
    onRejection: @escaping @Sendable (_ finish: @escaping @Sendable () -> Void) -> Void = { $0() }
  ) {
    self.attempt = attempt
    self.buffer = buffer
    self.transfer = buffer.nextTransfer()
    self.decide = decide
    self.onEnd = onEnd
    self.onRejection = onRejection
  }

  /// Stores the token of the transfer; events of the transfer may already have arrived.
  func attach(_ token: any Cancellable) {
    let (isOver, cancelsTransfer) = state.withLock { state in
      if !state.isOver { state.token = token }
      return (state.isOver, state.cancelsTransfer)
    }
    if cancelsTransfer { token.cancel() }
    if !isOver { buffer.attach(token, number: transfer) }
  }

  func receive(_ event: TransferEvent) {
    TransportThread.run {
      attempt.call.observation?.report(event)
      switch event {
      case .sent: break
      case .head(var head):
        if let early = head.transfer.take() { buffer.attach(early, number: transfer) }
        receiveHead(Response(head: head, data: Data(), request: attempt.request, metrics: nil))
      case .body(let chunk): append(chunk)
      case .metrics(let metrics): state.withLock { $0.metrics = metrics }
      case .finished(let error): finish(error)
      }
    }
  }

  /// Processes the head; ignores an informational response, and any response after the request has ended.
  func receiveHead(_ response: Response) {
    let switchesProtocols = response.statusCode == 101
    guard response.statusCode >= 200 || switchesProtocols, attempt.isWaiting else { return }
    let decision = decide(response)
    state.withLock { state in
      state.response = response
      if case .reject(let rejection) = decision { state.rejection = rejection }
    }
    switch decision {
    case .accept: buffer.setResponse(response)
    // What follows is not a body, and need not end.
    case .reject: if switchesProtocols { cancelTransfer() }
    }
  }

  func append(_ chunk: Data) {
    let (isAccepted, isCut) = state.withLock { state in
      // More may arrive until the transfer is cancelled.
      guard !state.isOver else { return (false, false) }
      guard state.rejection != nil else { return (true, false) }
      let space = Self.rejectedBodyLimit - state.body.count
      state.body.append(chunk.prefix(space))
      if chunk.count > space { state.isCut = true }
      return (false, state.isCut)
    }
    if isAccepted { buffer.append(chunk) }
    if isCut { cancelTransfer() }
  }

  /// Cancels the transfer, now or when its token is known, because the rest of it is not needed.
  func cancelTransfer() {
    finish(nil, cancelsTransfer: true)?.cancel()
  }

  /// Ends the transfer; the first call returns its token.
  @discardableResult func finish(_ error: TransferError?, cancelsTransfer: Bool = false) -> (any Cancellable)?
  {
    let (isFirst, spent) = state.withLock { state in
      defer {
        state.isOver = true
        state.cancelsTransfer = state.cancelsTransfer || cancelsTransfer
        state.token = nil
        state.rejection = nil
        state.body = Data()
      }
      return (!state.isOver, state)
    }
    guard isFirst else { return nil }
    let response = spent.response.map { response in
      Response(
        copying: response, data: spent.rejection == nil ? response.data : spent.body, metrics: spent.metrics)
    }
    if let error {
      onEnd(.failure(.underlying(error, error == .cancelled ? nil : response)))
    } else if let response {
      guard let rejection = spent.rejection else {
        onEnd(.success(response))
        return spent.token
      }
      onRejection { [attempt, isCut = spent.isCut] in attempt.finish(rejection(response, isCut)) }
    } else {
      let reason = "the transfer ended without a head"
      onEnd(.failure(.underlying(TransferError.badServerResponse(reason: reason), nil)))
    }
    return spent.token
  }
}

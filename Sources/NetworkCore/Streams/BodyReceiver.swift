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
    var ending: (@Sendable (Response) -> Result<Response, NetworkError>)?
    var body = Data()
    var isOver = false
    /// Whether the transfer must be cancelled because the request no longer waits for it.
    var isCutOff = false
  }

  private let attempt: Attempt
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
    of attempt: Attempt, buffer: BodyBuffer, decide: @escaping @Sendable (Response) -> HeadDecision,
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

  /// Fails the request if the transport dropped its handler before the transfer ended.
  deinit {
    guard !state.withLock({ $0.isOver }) else { return }
    onEnd(.failure(.lost))
  }

  /// Stores the token of the transfer; events of the transfer may already have arrived.
  func attach(_ token: any Cancellable) {
    let (isOver, isCutOff) = state.withLock { state in
      if !state.isOver { state.token = token }
      return (state.isOver, state.isCutOff)
    }
    if isCutOff { token.cancel() }
    if !isOver { buffer.attach(token, number: transfer) }
  }

  func receive(_ event: TransferEvent) {
    TransportThread.run {
      attempt.call.observation?.report(event)
      switch event {
      case .sent: break
      case .head(var head):
        if let early = head.transfer.take() { buffer.attach(early, number: transfer) }
        open(Response(head: head, data: Data(), request: attempt.request, metrics: nil))
      case .body(let chunk): take(chunk)
      case .metrics(let metrics): state.withLock { $0.metrics = metrics }
      case .finished(let error): finish(error)
      }
    }
  }

  /// Processes the head; ignores an informational response, and any response after the request has ended.
  func open(_ response: Response) {
    guard response.statusCode >= 200, attempt.isWaiting else { return }
    let decision = decide(response)
    state.withLock { state in
      state.response = response
      if case .reject(let ending) = decision { state.ending = ending }
    }
    if case .accept = decision { buffer.open(response) }
  }

  func take(_ chunk: Data) {
    let (isAccepted, isFull) = state.withLock { state in
      guard state.ending != nil else { return (true, false) }
      state.body.append(chunk.prefix(Self.rejectedBodyLimit - state.body.count))
      return (false, state.body.count >= Self.rejectedBodyLimit)
    }
    if isAccepted { buffer.append(chunk) }
    if isFull { cutOff() }
  }

  /// Cancels the transfer, now or when its token is known, because the rest of it is not needed.
  func cutOff() {
    finish(nil, isCutOff: true)?.cancel()
  }

  /// Ends the transfer; the first call returns its token.
  @discardableResult func finish(_ error: TransferError?, isCutOff: Bool = false) -> (any Cancellable)? {
    let (isFirst, spent) = state.withLock { state in
      defer {
        state.isOver = true
        state.isCutOff = state.isCutOff || isCutOff
        state.token = nil
        state.ending = nil
        state.body = Data()
      }
      return (!state.isOver, state)
    }
    guard isFirst else { return nil }
    let response = spent.response.map { response in
      Response(
        copying: response, data: spent.ending == nil ? response.data : spent.body, metrics: spent.metrics)
    }
    if let error {
      onEnd(.failure(.underlying(error, error == .cancelled ? nil : response)))
    } else if let response {
      guard let ending = spent.ending else {
        onEnd(.success(response))
        return spent.token
      }
      onRejection { [attempt] in attempt.finish(ending(response)) }
    } else {
      let reason = "the transfer ended without a head"
      onEnd(.failure(.underlying(TransferError.badServerResponse(reason: reason), nil)))
    }
    return spent.token
  }
}

extension NetworkError {
  /// The transport dropped its handler before the transfer ended.
  static var lost: NetworkError {
    let reason = "the transport dropped its handler before the transfer ended"
    return .underlying(TransferError.connectionLost(reason: reason), nil)
  }
}

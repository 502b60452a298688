import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport's side of a request whose body does not go to memory: hands it to a buffer.
final class BodyReception: Sendable {
  /// The most bytes that are kept of the body of an answer that is not wanted.
  static let unwantedBodyLimit = 1 << 20

  private struct State {
    var token: (any Cancellable)?
    var response: Response?
    var metrics: TransferMetrics?
    /// What becomes of an answer that is not wanted, and its body.
    var ending: (@Sendable (Response) -> Result<Response, NetworkError>)?
    var body = Data()
    var isOver = false
    /// Whether the transfer is to end that the request no longer waits for.
    var isCutOff = false
  }

  private let attempt: Attempt
  private let buffer: BodyBuffer
  /// The number that the buffer knows the transfer by.
  private let transfer: Int
  private let judge: @Sendable (Response) -> Verdict
  private let onEnd: @Sendable (Result<Response, NetworkError>) -> Void
  private let onRefusal: @Sendable (_ settle: @escaping @Sendable () -> Void) -> Void
  private let state = Lock(State())

  /// Makes a reception.
  ///
  /// - Parameters:
  ///   - attempt: what it is of.
  ///   - buffer: what the body goes to.
  ///   - judge: what becomes of an answer, by its head.
  ///   - onEnd: gets how a transfer ended whose answer is wanted, or that had none.
  ///   - onRefusal: called instead for an answer that is not wanted; calls its argument, on any thread, to end the attempt.
  init(
    of attempt: Attempt, buffer: BodyBuffer, judge: @escaping @Sendable (Response) -> Verdict,
    onEnd: @escaping @Sendable (Result<Response, NetworkError>) -> Void,
    onRefusal: @escaping @Sendable (_ settle: @escaping @Sendable () -> Void) -> Void = { $0() }
  ) {
    self.attempt = attempt
    self.buffer = buffer
    self.transfer = buffer.nextTransfer()
    self.judge = judge
    self.onEnd = onEnd
    self.onRefusal = onRefusal
  }

  /// A transport that lets go of its handler without an end has lost the transfer.
  deinit {
    guard !state.withLock({ $0.isOver }) else { return }
    onEnd(.failure(.lost))
  }

  /// Takes the token of the transfer that this takes the events of, some of which may have come by now.
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

  /// The head has arrived; one of an informational answer does not count.
  func open(_ response: Response) {
    guard response.statusCode >= 200, attempt.isWaiting else { return }
    let verdict = judge(response)
    state.withLock { state in
      state.response = response
      if case .unwanted(let ending) = verdict { state.ending = ending }
    }
    if case .wanted = verdict { buffer.open(response) }
  }

  func take(_ chunk: Data) {
    let (isWanted, isFull) = state.withLock { state in
      guard state.ending != nil else { return (true, false) }
      state.body.append(chunk.prefix(Self.unwantedBodyLimit - state.body.count))
      return (false, state.body.count >= Self.unwantedBodyLimit)
    }
    if isWanted { buffer.append(chunk) }
    if isFull { cutOff() }
  }

  /// What the transfer still brings is not wanted: ends it, now or when its token comes.
  func cutOff() {
    finish(nil, isCutOff: true)?.cancel()
  }

  /// The transfer is over; returns its token, the first time that this is called.
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
      onRefusal { [attempt] in attempt.settle(ending(response)) }
    } else {
      let reason = "the transfer ended without a head"
      onEnd(.failure(.underlying(TransferError.badServerResponse(reason: reason), nil)))
    }
    return spent.token
  }
}

extension NetworkError {
  /// The transport let go of its handler without an end.
  static var lost: NetworkError {
    let reason = "the transport gave the transfer up without a word"
    return .underlying(TransferError.connectionLost(reason: reason), nil)
  }
}

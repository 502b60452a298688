import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Receives the events of a transfer, and turns them into progress and a result for the request.
final class ResponseReceiver: Sendable {
  private let call: RequestCall
  /// The number of the reply that ends the attempt.
  private let replyNumber: Int
  private let request: URLRequest
  private let wantsProgress: Bool
  private let mayBeRetried: Bool
  /// A separate lock, because appending a large piece of the body must not delay a cancellation.
  private let accumulator: Lock<ResponseAccumulator>

  init(
    call: RequestCall, replyNumber: Int, request: URLRequest, isUpload: Bool, wantsProgress: Bool,
    mayBeRetried: Bool
  ) {
    self.call = call
    self.replyNumber = replyNumber
    self.request = request
    self.wantsProgress = wantsProgress
    self.mayBeRetried = mayBeRetried
    self.accumulator = Lock(ResponseAccumulator(isUpload: isUpload))
  }

  /// Fails the request if the transport released its handler before the transfer ended.
  deinit {
    guard call.isWaiting(forReply: replyNumber) else { return }
    let reason = "the transport released its handler before the end"
    call.finishAttempt(
      .failure(.underlying(TransferError.connectionLost(reason: reason), nil)), replyNumber: replyNumber)
  }

  func receive(_ event: TransferEvent) {
    if let observation = call.observation { TransportThread.run { observation.report(event) } }
    switch event {
    case .sent(let count, of: let total):
      report { $0.progress(sent: count, of: total) }
    case .head(let head):
      accumulator.withLock { $0.receive(head) }
    case .body(let chunk):
      accumulator.withLock { $0.receive(chunk) }
      report { $0.progressReceived(ofErrors: !mayBeRetried) }
    case .metrics(let metrics):
      accumulator.withLock { $0.receive(metrics) }
    case .finished(let error):
      TransportThread.run {
        call.finishAttempt(
          accumulator.withLock { $0.finish(error, request: request) }, replyNumber: replyNumber)
      }
    }
  }

  private func report(_ progress: (inout ResponseAccumulator) -> ProgressResponse?) {
    guard wantsProgress, let progress = accumulator.withLock(progress) else { return }
    TransportThread.run { call.report(progress, replyNumber: replyNumber) }
  }
}

import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Receives the events of a transfer, and turns them into progress and a result for its recipient.
final class ResponseReceiver<Recipient: TransferRecipient>: Sendable {
  private let recipient: Recipient
  private let mayBeRetried: Bool
  /// A separate lock, because appending a large piece of the body must not delay a cancellation.
  private let accumulator: Lock<ResponseAccumulator>

  init(_ recipient: Recipient, mayBeRetried: Bool) {
    self.recipient = recipient
    self.mayBeRetried = mayBeRetried
    self.accumulator = Lock(ResponseAccumulator(isUpload: recipient.request.isUpload))
  }

  func receive(_ event: TransferEvent) {
    if let observation = recipient.observation { TransportThread.run { observation.report(event) } }
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
        recipient.finish(accumulator.withLock { $0.finish(error, request: recipient.request) })
      }
    }
  }

  private func report(_ progress: (inout ResponseAccumulator) -> ProgressResponse?) {
    guard recipient.wantsProgress, let progress = accumulator.withLock(progress) else { return }
    TransportThread.run { recipient.report(progress) }
  }
}

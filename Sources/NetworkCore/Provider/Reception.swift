import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport's side of a request: takes its events and makes progress and a result of them.
final class Reception: Sendable {
  private let call: RequestCall
  /// The number of the answer that this gives.
  private let turn: Int
  private let request: URLRequest
  private let wantsProgress: Bool
  private let mayBeRetried: Bool
  /// A lock of its own: appending a large piece of the body must not hold up a cancel.
  private let record: Lock<TransferRecord>

  init(
    call: RequestCall, turn: Int, request: URLRequest, isUpload: Bool, wantsProgress: Bool, mayBeRetried: Bool
  ) {
    self.call = call
    self.turn = turn
    self.request = request
    self.wantsProgress = wantsProgress
    self.mayBeRetried = mayBeRetried
    self.record = Lock(TransferRecord(isUpload: isUpload))
  }

  /// A transport that lets go of its handler without an end has lost the transfer.
  deinit {
    guard call.isWaiting(for: turn) else { return }
    let reason = "the transport gave the transfer up without a word"
    call.settle(.failure(.underlying(TransferError.connectionLost(reason: reason), nil)), turn: turn)
  }

  func receive(_ event: TransferEvent) {
    switch event {
    case .sent(let count, of: let total):
      report { $0.progress(sent: count, of: total) }
    case .head(let head):
      record.withLock { $0.receive(head) }
    case .body(let chunk):
      record.withLock { $0.receive(chunk) }
      report { $0.progressReceived(ofErrors: !mayBeRetried) }
    case .metrics(let metrics):
      record.withLock { $0.receive(metrics) }
    case .finished(let error):
      TransportThread.run {
        call.settle(record.withLock { $0.finish(error, request: request) }, turn: turn)
      }
    }
  }

  private func report(_ progress: (inout TransferRecord) -> ProgressResponse?) {
    guard wantsProgress, let progress = record.withLock(progress) else { return }
    TransportThread.run { call.report(progress, turn: turn) }
  }
}

import Foundation
import ReactiveNetworkLock
import NetworkCore

/// A transport whose responses arrive after delays on a scheduler, and that logs starts and cancellations.
final class ScheduledTransport: Transport {
  /// How a transfer ends.
  enum Ending: Equatable, Sendable {
    case status(Int)
    case error(TransferError)
    case never
  }

  struct PlannedResponse: Sendable {
    var after: TimeInterval
    var ending: Ending
  }

  private let time: ManualDelayScheduler
  private let response: @Sendable (Int) -> PlannedResponse
  private let lines = Lock([String]())
  private let starts = Lock(0)

  /// Creates a transport; `response` receives the number of the transfer, from 0.
  init(_ time: ManualDelayScheduler, response: @escaping @Sendable (Int) -> PlannedResponse) {
    self.time = time
    self.response = response
  }

  /// The starts and cancellations with their times in seconds, in order.
  var log: [String] { lines.withLock { $0 } }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let number = starts.withLock { starts in
      defer { starts += 1 }
      return starts
    }
    addLine("\(number) starts")
    let response = response(number)
    let isOver = Lock(false)
    let end: @Sendable (Ending) -> Void = { ending in
      let isFirst = isOver.withLock { isOver in
        defer { isOver = true }
        return !isOver
      }
      guard isFirst else { return }
      switch ending {
      case .status(let status):
        handler(.head(ResponseHead(statusCode: status, url: request.url, headers: [:])))
        handler(.body(Data("\(number)".utf8)))
        handler(.finished(nil))
      case .error(let error): handler(.finished(error))
      case .never: break
      }
    }
    var timer: (any Cancellable)?
    if response.ending != .never {
      timer = time.schedule(after: .seconds(response.after)) { end(response.ending) }
    }
    return CancellableToken { [timer] in
      timer?.cancel()
      if isOver.withLock({ !$0 }) { self.addLine("\(number) cancelled") }
      end(.error(.cancelled))
    }
  }

  private func addLine(_ text: String) {
    let seconds = time.now.timeIntervalSince1970
    lines.withLock { $0.append("\(seconds) \(text)") }
  }
}

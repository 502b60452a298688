import Foundation
import ReactiveNetworkLock
import NetworkCore

/// A transport whose responses come after a time on a scheduler, and that notes what happened when.
final class TimedTransport: Transport {
  /// How a transfer ends.
  enum Ending: Equatable, Sendable {
    case status(Int)
    case error(TransferError)
    case never
  }

  struct Answer: Sendable {
    var after: TimeInterval
    var ending: Ending
  }

  private let time: ManualDelayScheduler
  private let answer: @Sendable (Int) -> Answer
  private let notes = Lock([String]())
  private let starts = Lock(0)

  /// Creates a transport; `answer` gets the number of the transfer, from 0.
  init(_ time: ManualDelayScheduler, answer: @escaping @Sendable (Int) -> Answer) {
    self.time = time
    self.answer = answer
  }

  /// The starts and cancellations with their times in seconds, in order.
  var log: [String] { notes.withLock { $0 } }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let number = starts.withLock { starts in
      defer { starts += 1 }
      return starts
    }
    note("\(number) starts")
    let answer = answer(number)
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
    if answer.ending != .never { timer = time.schedule(after: answer.after) { end(answer.ending) } }
    return CancellableToken { [timer] in
      timer?.cancel()
      if isOver.withLock({ !$0 }) { self.note("\(number) cancelled") }
      end(.error(.cancelled))
    }
  }

  private func note(_ text: String) {
    let seconds = time.now.timeIntervalSince1970
    notes.withLock { $0.append("\(seconds) \(text)") }
  }
}

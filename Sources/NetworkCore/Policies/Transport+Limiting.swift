public import Foundation
import Locking

extension Transport {
  /// Returns a transport that starts a request when a limit has a place free.
  ///
  /// ```swift
  /// let limit = ConcurrencyLimit(8, maxWaiting: 32)
  /// let provider = NetworkProvider<GitHub>(
  ///   transport: try CurlTransport().limitConcurrency(limit, longestWait: 2) { $0.method == .get ? 0 : 1 })
  /// ```
  ///
  /// The request takes the place until its transfer ends, which is before the end is reported. A request that
  /// is cancelled while it waits leaves the queue. One that is refused, or has waited too long, ends with
  /// `TransferError.overloaded` and is not sent. Time-outs of the request do not run while it waits.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other transports and pipelines may share.
  ///   - longestWait: how long to wait for a place, in seconds; `nil` for any time.
  ///   - priority: returns the priority of a request; those with a higher number come first. It is called on
  ///     the thread that starts the request. All requests have the same priority by default.
  /// - Returns: the transport. Requests that have to wait start on the thread that frees a place; refusals are
  ///   reported on the limit's scheduler, all other events on the threads of this transport.
  public func limitConcurrency(
    _ limit: ConcurrencyLimit, longestWait: TimeInterval? = nil,
    priority: @escaping @Sendable (TransportRequest) -> Int = { _ in 0 }
  ) -> any Transport {
    LimitedTransport(transport: self, limit: limit, longestWait: longestWait, priority: priority)
  }
}

private struct LimitedTransport: TransportWithAdditions {
  let transport: any Transport
  let limit: ConcurrencyLimit
  let longestWait: TimeInterval?
  let priority: @Sendable (TransportRequest) -> Int

  var defaultHeaders: HTTPHeaders { transport.defaultHeaders }

  func additions(to request: TransportRequest) -> RequestAdditions {
    RequestAdditions(of: transport, to: request)
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = PostponedTransfer(limit.scheduler, handler)
    let place = limit.acquire(priority: priority(request), longestWait: longestWait) { result in
      switch result {
      // A turn that comes too late is dropped, which releases it.
      case .success(let turn): transfer.begin { send(request, turn, $0) }
      case .failure(let error): transfer.refuse(.overloaded(error))
      }
    }
    transfer.hold(place)
    return transfer
  }

  private func send(_ request: TransportRequest, _ turn: ConcurrencyLimit.Turn, _ sequence: TransferSequence)
  {
    let answer = Lock(ConcurrencyLimit.Turn.Ending.answered)
    sequence.start(request, over: transport) { event in
      switch event {
      case .finished(let error):
        turn.release(error.map { .init(error: $0) } ?? answer.withLock { $0 })
        sequence.finish(error)
      case .head(let head):
        answer.withLock { $0 = .init(status: head.statusCode) }
        sequence.deliver(event)
      default: sequence.deliver(event)
      }
    }
  }
}

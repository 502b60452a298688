import Foundation
import ReactiveNetworkLock

/// A transport with faults for tests: it delays requests, fails them, and cuts off or changes their
/// responses.
///
/// ```swift
/// var plan = ChaosPlan(seed: 7)
/// plan.failureRate = 0.1
/// let provider = NetworkProvider<GitHub>(transport: ChaosTransport(try CurlTransport(), plan: plan))
/// ```
///
/// The plan determines the faults of the first request that is started, of the second one, and so on. A test
/// that starts its requests in a fixed order therefore always sees the same faults. If several threads start
/// requests, the order varies, and with it the requests that have the faults. It wraps any transport:
/// `CurlTransport` with a `LoopbackServer`, a `ReplayTransport`, or a custom one. With a
/// `ManualDelayScheduler`, or the `asDelayScheduler()` of a test scheduler, delays pass in virtual time.
public final class ChaosTransport: TransportLayer {
  /// The faults of the requests.
  public let plan: ChaosPlan
  /// The transport that carries the requests.
  public let wrapped: any Transport
  private let scheduler: any DelayScheduler
  private let count = Lock(0)

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - transport: the transport that carries the requests.
  ///   - plan: the faults of the requests.
  ///   - scheduler: the clock for delays; it also delivers the responses and errors that the plan makes up.
  public init(
    _ transport: any Transport, plan: ChaosPlan, scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    wrapped = transport
    self.plan = plan
    self.scheduler = scheduler
  }

  /// The number of requests that have been started, which is the number of the next request in the plan.
  public var requestCount: Int { count.withLock { $0 } }

  /// Returns what the wrapped transport adds to a request.
  ///
  /// - Parameter request: the request.
  /// - Returns: the cookies and credentials.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }

  /// Starts a transfer with the faults that the plan has for it; see ``Transport``.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    let faults = plan.faults(ofRequest: number)
    guard let first = faults.first else { return wrapped.start(request, handler: handler) }
    let transfer = DeferredTransfer(scheduler, handler)
    guard case .delay(let delay) = first else {
      begin(transfer, request, first)
      return transfer
    }
    let fault = faults.dropFirst().first
    transfer.store(scheduler.schedule(after: delay) { self.begin(transfer, request, fault) })
    return transfer
  }

  private func begin(_ transfer: DeferredTransfer, _ request: TransportRequest, _ fault: ChaosFault?) {
    switch fault {
    case .failure(let error): transfer.refuse(error)
    case .status(let status):
      transfer.begin { sequence in
        _ = scheduler.schedule(after: .zero) {
          sequence.deliver(.head(ResponseHead(statusCode: status, url: request.url, headers: [:])))
          sequence.finish(nil)
        }
      }
    case .cutOff(let count): transfer.begin { send(request, through: $0, cutOffAfter: count) }
    case .garbledBody:
      transfer.begin { sequence in
        sequence.start(request, over: wrapped) { sequence.pass($0.garbled) }
      }
    case .delay, nil:
      transfer.begin { sequence in sequence.start(request, over: wrapped) { sequence.pass($0) } }
    }
  }

  private func send(_ request: TransportRequest, through sequence: TransferSequence, cutOffAfter count: Int) {
    let error = TransferError.truncatedBody(reason: "cut off by ChaosTransport")
    let rest = Lock(count)
    sequence.start(request, over: wrapped) { event in
      switch event {
      case .body(let piece):
        let kept = rest.withLock { rest in
          defer { rest = max(0, rest - piece.count) }
          return piece.prefix(rest)
        }
        if !kept.isEmpty { sequence.deliver(.body(Data(kept))) }
        if kept.count < piece.count { sequence.abort(error) }
      case .finished(nil): sequence.finish(error)
      default: sequence.pass(event)
      }
    }
  }
}

extension TransferEvent {
  /// The event; its bytes are replaced if it is a piece of the body.
  fileprivate var garbled: TransferEvent {
    guard case .body(let piece) = self else { return self }
    return .body(Data(piece.map { $0 ^ 0x55 }))
  }
}

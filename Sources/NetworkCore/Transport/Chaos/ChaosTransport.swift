import Foundation
import Locking

/// Delays requests, fails them, breaks their responses off or changes them, for tests of what handles that.
///
/// ```swift
/// var plan = ChaosPlan(seed: 7)
/// plan.failureRate = 0.1
/// let provider = NetworkProvider<GitHub>(transport: ChaosTransport(try CurlTransport(), plan: plan))
/// ```
///
/// The plan says what happens to the first request that is started, to the second one, and so on. A test that
/// starts its requests in a fixed order therefore always sees the same faults; if several threads start them,
/// the same faults hit other requests. It works around every transport: `CurlTransport` with a
/// `LoopbackServer`, a `ReplayTransport`, or one of your own. With a `ManualDelayScheduler`, or the
/// `asDelayScheduler()` of a test scheduler, delays pass in virtual time.
public final class ChaosTransport: Transport, TransportWithAdditions {
  /// What goes wrong.
  public let plan: ChaosPlan
  private let transport: any Transport
  private let scheduler: any DelayScheduler
  private let count = Lock(0)

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - transport: carries the requests.
  ///   - plan: what goes wrong.
  ///   - scheduler: where delays pass, and where the responses and errors that the plan makes up come from.
  public init(
    _ transport: any Transport, plan: ChaosPlan, scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.transport = transport
    self.plan = plan
    self.scheduler = scheduler
  }

  /// The header fields of the underlying transport.
  public var defaultHeaders: HTTPHeaders { transport.defaultHeaders }

  /// How many requests have been started; the next one has this number in the plan.
  public var requestCount: Int { count.withLock { $0 } }

  func additions(to request: TransportRequest) -> RequestAdditions {
    RequestAdditions(of: transport, to: request)
  }

  /// Starts a transfer with the faults of its number; see ``Transport``.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    let faults = plan.faults(ofRequest: number)
    guard let first = faults.first else { return transport.start(request, handler: handler) }
    let transfer = PostponedTransfer(scheduler, handler)
    guard case .delay(let seconds) = first else {
      begin(transfer, request, first)
      return transfer
    }
    let fault = faults.dropFirst().first
    transfer.hold(scheduler.schedule(after: seconds) { self.begin(transfer, request, fault) })
    return transfer
  }

  private func begin(_ transfer: PostponedTransfer, _ request: TransportRequest, _ fault: ChaosFault?) {
    switch fault {
    case .failure(let error): transfer.refuse(error)
    case .status(let status):
      transfer.begin { sequence in
        _ = scheduler.schedule(after: 0) {
          sequence.deliver(.head(ResponseHead(statusCode: status, url: request.url, headers: [:])))
          sequence.finish(nil)
        }
      }
    case .cutOff(let count): transfer.begin { send(request, through: $0, cutOffAfter: count) }
    case .garbledBody:
      transfer.begin { sequence in
        sequence.start(request, over: transport) { sequence.pass($0.garbled) }
      }
    case .delay, nil:
      transfer.begin { sequence in sequence.start(request, over: transport) { sequence.pass($0) } }
    }
  }

  private func send(_ request: TransportRequest, through sequence: TransferSequence, cutOffAfter count: Int) {
    let error = TransferError.truncatedBody(reason: "cut off by ChaosTransport")
    let rest = Lock(count)
    sequence.start(request, over: transport) { event in
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

extension TransferSequence {
  /// Delivers any event, the last one included.
  fileprivate func pass(_ event: TransferEvent) {
    if case .finished(let error) = event { finish(error) } else { deliver(event) }
  }
}

extension TransferEvent {
  /// The event with other bytes, if it is a piece of the body.
  fileprivate var garbled: TransferEvent {
    guard case .body(let piece) = self else { return self }
    return .body(Data(piece.map { $0 ^ 0x55 }))
  }
}

import Foundation
import ReactiveNetworkLock
import NetworkCore

/// Records a transfer's events, and allows a test to wait for them.
final class TransferRecorder: Sendable {
  struct Events: Sendable {
    var head: ResponseHead?
    var heads = 0
    var pieces: [Data] = []
    var sent: [Int64] = []
    var errors: [TransferError?] = []
    var metrics: TransferMetrics?
    /// `true` if an event followed the final one.
    var hasEventAfterEnd = false

    var body: Data { pieces.reduce(into: Data()) { $0.append($1) } }
    var status: Int? { head?.statusCode }
    var isOver: Bool { !errors.isEmpty }
    /// The error of the single end; `.other` if there was not exactly one, or an event followed it.
    var error: TransferError? {
      guard errors.count == 1, !hasEventAfterEnd else {
        return .other(code: errors.count, reason: "not exactly one end, as the last event")
      }
      return errors[0]
    }
  }

  private struct State {
    var events = Events()
    var waiting: [(condition: @Sendable (Events) -> Bool, continuation: CheckedContinuation<Events, Never>)] =
      []
  }

  private let state = Lock(State())
  private let transport: (any Transport)?

  /// Creates a recorder that keeps a transport alive, because a released transport cancels its transfers.
  init(keeping transport: (any Transport)? = nil) {
    self.transport = transport
  }

  var events: Events { state.withLock { $0.events } }

  @Sendable func record(_ event: TransferEvent) {
    let ready = state.withLock { state in
      if state.events.isOver { state.events.hasEventAfterEnd = true }
      switch event {
      case .head(let head):
        state.events.head = head
        state.events.heads += 1
      case .body(let data): state.events.pieces.append(data)
      case .sent(let count, _): state.events.sent.append(count)
      case .metrics(let metrics): state.events.metrics = metrics
      case .finished(let error): state.events.errors.append(error)
      }
      let events = state.events
      let ready = state.waiting.filter { $0.condition(events) }
      state.waiting.removeAll { $0.condition(events) }
      return ready.map { ($0.continuation, events) }
    }
    for (continuation, events) in ready { continuation.resume(returning: events) }
  }

  /// Suspends until the events fulfil a condition.
  @discardableResult
  func waitUntil(_ condition: @escaping @Sendable (Events) -> Bool) async -> Events {
    await withCheckedContinuation { continuation in
      let now: Events? = state.withLock { state in
        if condition(state.events) { return state.events }
        state.waiting.append((condition, continuation))
        return nil
      }
      if let now { continuation.resume(returning: now) }
    }
  }

  /// Suspends until the transfer is over.
  @discardableResult
  func waitForEnd() async -> Events { await waitUntil(\.isOver) }
}

extension Transport {
  /// Performs a transfer and returns its events.
  func exchange(_ request: TransportRequest) async -> TransferRecorder.Events {
    let recorder = TransferRecorder()
    let transfer = start(request, handler: recorder.record)
    let events = await recorder.waitForEnd()
    withExtendedLifetime(transfer) {}
    return events
  }

  /// Starts a transfer and records its events; the recorder keeps the transport alive.
  func record(_ request: TransportRequest) -> (transfer: any Cancellable, recorder: TransferRecorder) {
    let recorder = TransferRecorder(keeping: self)
    return (start(request, handler: recorder.record), recorder)
  }
}

extension TransportRequest {
  /// The same request with its handler called on the thread that carries the transfers.
  var deliveredOnLoop: TransportRequest {
    var request = self
    request.deliversOnLoop = true
    return request
  }
}

import Foundation
import Locking
import NetworkCore

/// Takes down a transfer's events and lets a test wait for them.
final class Recorder: Sendable {
  struct Events: Sendable {
    var head: ResponseHead?
    var heads = 0
    var pieces: [Data] = []
    var sent: [Int64] = []
    var errors: [TransferError?] = []
    var metrics: TransferMetrics?
    /// Whether an event came after the one that must be the last.
    var hasEventAfterEnd = false

    var body: Data { pieces.reduce(into: Data()) { $0.append($1) } }
    var status: Int? { head?.statusCode }
    var isOver: Bool { !errors.isEmpty }
    /// The error of the one end; `.other` where there was not exactly one, or something came after it.
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

  /// Makes a recorder that keeps a transport: one that is released cancels its transfers.
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
  func until(_ condition: @escaping @Sendable (Events) -> Bool) async -> Events {
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
  func end() async -> Events { await until(\.isOver) }
}

extension Transport {
  /// Starts a transfer and waits for its end.
  func exchange(_ request: TransportRequest) async -> Recorder.Events {
    let recorder = Recorder()
    let transfer = start(request, handler: recorder.record)
    let events = await recorder.end()
    withExtendedLifetime(transfer) {}
    return events
  }

  /// Starts a transfer whose events are taken down; the recorder keeps the transport.
  func record(_ request: TransportRequest) -> (transfer: any Cancellable, recorder: Recorder) {
    let recorder = Recorder(keeping: self)
    return (start(request, handler: recorder.record), recorder)
  }
}

extension TransportRequest {
  /// The same, with its handler called on the thread that carries the transfers.
  var deliveredOnLoop: TransportRequest {
    var request = self
    request.deliversOnLoop = true
    return request
  }
}

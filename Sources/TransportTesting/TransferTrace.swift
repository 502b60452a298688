internal import Foundation
internal import NetworkCoreTransport
internal import ReactiveNetworkLock

/// Records the events of a transfer, and the promises about their order that they break.
final class TransferTrace: Sendable {
  struct Events: Sendable {
    private static let keptBytes = 2 << 20

    var head: ResponseHead?
    /// The first bytes of the body, at most `keptBytes`.
    var body = Data()
    var bodyLength = 0
    var pieces = 0
    var sent: [Int64] = []
    var metrics: TransferMetrics?
    var ends: [TransferError?] = []
    var faults: [String] = []

    var isOver: Bool { !ends.isEmpty }
    var status: Int? { head?.statusCode }
    /// The error of the end; `nil` also before the end.
    var error: TransferError? { ends.first ?? nil }
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The events in a few words, for the reason of a violation.
    var summary: String {
      let end = ends.first.map { $0.map { "\($0)" } ?? "complete" } ?? "no end"
      return "status \(status.map(String.init) ?? "none"), \(bodyLength) bytes, \(end)"
    }
  }

  private struct State {
    var events = Events()
    var isInHandler = false
    var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    var waiterCount = 0
  }

  private let state = Lock(State())
  private let onEvent: @Sendable (TransferEvent) -> Void

  init(onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }) {
    self.onEvent = onEvent
  }

  var events: Events { state.withLock { $0.events } }

  /// Handles an event of the transfer.
  @Sendable func record(_ event: TransferEvent) {
    let waiters = state.withLock { state in
      if state.isInHandler { state.events.faults.append("an event was reported during another one") }
      state.isInHandler = true
      state.events.add(event)
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.yield() }
    onEvent(event)
    state.withLock { $0.isInHandler = false }
  }

  /// Suspends until the events fulfil a condition; returns `false` if they do not for too long.
  func wait(_ patience: Duration, until condition: @Sendable (Events) -> Bool) async -> Bool {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.waiterCount += 1
      state.waiters[state.waiterCount] = continuation
      return state.waiterCount
    }
    let timer = Task {
      try await Task.sleep(for: patience)
      continuation.finish()
    }
    defer {
      timer.cancel()
      state.withLock { $0.waiters[number] = nil }
    }
    if condition(events) { return true }
    for await _ in changes where condition(events) { return true }
    return condition(events)
  }
}

extension TransferTrace.Events {
  fileprivate mutating func add(_ event: TransferEvent) {
    if isOver { faults.append("\(event.name) after the end") }
    if metrics != nil, event.name != "end" { faults.append("\(event.name) between the metrics and the end") }
    switch event {
    case .sent(let count, _):
      if let last = sent.last, count < last { faults.append("\(count) bytes sent after \(last)") }
      sent.append(count)
    case .head(let head):
      if self.head != nil { faults.append("a second head") }
      self.head = head
    case .body(let piece):
      if head == nil { faults.append("a piece of the body before the head") }
      if piece.isEmpty { faults.append("an empty piece of the body") }
      pieces += 1
      bodyLength += piece.count
      body.append(piece.prefix(Self.keptBytes - body.count))
    case .metrics(let metrics): self.metrics = metrics
    case .finished(let error):
      if error == nil, head == nil { faults.append("a complete response without a head") }
      ends.append(error)
    }
  }
}

extension TransferEvent {
  fileprivate var name: String {
    switch self {
    case .sent: "progress"
    case .head: "head"
    case .body: "body"
    case .metrics: "metrics"
    case .finished: "end"
    }
  }
}

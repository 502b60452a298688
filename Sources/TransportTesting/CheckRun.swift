internal import Foundation
internal import LoopbackServer
internal import NetworkCoreTransport
internal import ReactiveNetworkLock

/// The server, the transports and the transfers of one check.
final class CheckRun: Sendable {
  /// The reason why a check cannot continue.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// A transfer that a check has started.
  struct Started: Sendable {
    let token: any Cancellable
    let trace: TransferTrace

    var events: TransferTrace.Events { trace.events }
    var transfer: (any Transfer)? { token as? any Transfer }
    func cancel() { token.cancel() }
  }

  private struct State {
    var faults: [String] = []
    var started: [Started] = []
    var transports: [any Transport] = []
  }

  let server: LoopbackServer
  /// A body that stalls after 2 MiB and does not end.
  let endless: LoopbackServer.Reply
  let patience: Duration
  private let make: @Sendable () throws -> any Transport
  private let state = Lock(State())

  init(patience: Duration, makeTransport: @escaping @Sendable () throws -> any Transport) throws {
    self.patience = patience
    make = makeTransport
    server = try LoopbackServer()
    server.route("/ok") { _ in .text("ok") }
    server.route("/never") { _ in .never }
    // It stalls, because URLSession keeps its thread busy while bytes arrive faster than it reads them: cancels
    // and the requests of other sessions would have to wait.
    let endless = LoopbackServer.Reply.repeating(7, count: 1 << 40).bodyHeld(until: .init(), after: 1 << 21)
    self.endless = endless
    server.route("/endless") { _ in endless }
  }

  var origin: String { server.origin }

  /// Makes a transport, which lives until the end of the check.
  func transport() throws -> any Transport {
    let transport = try make()
    state.withLock { $0.transports.append(transport) }
    return transport
  }

  /// Makes a transport that only the check keeps alive.
  func unownedTransport() throws -> any Transport { try make() }

  /// Notes a violation.
  func note(_ fault: String) { state.withLock { $0.faults.append(fault) } }

  /// Notes a violation unless a condition holds.
  func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
    if !condition { note(fault()) }
  }

  /// Starts a transfer, which must end before the check does; it is cancelled then.
  func start(
    _ request: TransportRequest, over transport: any Transport,
    onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
  ) -> Started {
    let trace = TransferTrace(onEvent: onEvent)
    let (call, token) = begin(request, over: transport, handler: trace.record)
    let started = Started(token: token ?? call, trace: trace)
    state.withLock { $0.started.append(started) }
    return started
  }

  /// Calls `start` on a thread of its own, so that a transport that waits for the response fails the check, instead
  /// of making it wait forever; returns the call, and the token unless it took too long.
  func begin(
    _ request: TransportRequest, over transport: any Transport,
    handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> (call: StartCall, token: (any Cancellable)?) {
    let call = StartCall()
    let url = request.url
    Thread.detachNewThread {
      call.run {
        transport.start(request) { event in
          if call.isRunningOnThisThread { self.note("the handler was called within start: \(url)") }
          handler(event)
        }
      }
    }
    let token = call.token(within: patience)
    if token == nil {
      note("start did not return within \(patience): \(url)")
      // Without a response to wait for, it returns.
      server.stop()
    }
    return (call, token)
  }

  /// Starts a transfer whose handler also gets the token: the server responds when the token is known.
  func startHeld(
    _ reply: LoopbackServer.Reply, over transport: any Transport,
    onEvent: @escaping @Sendable (TransferEvent, any Cancellable) -> Void
  ) -> Started {
    let token = Lock<(any Cancellable)?>(nil)
    let isKnown = LoopbackServer.Gate()
    server.route("/held") { _ in reply.held(until: isKnown) }
    let started = start(TransportRequest(url: "\(origin)/held"), over: transport) { event in
      if let token = token.withLock({ $0 }) { onEvent(event, token) }
    }
    token.withLock { $0 = started.token }
    isKnown.open()
    return started
  }

  /// Starts a transfer, and suspends until its end.
  @discardableResult
  func exchange(
    _ request: TransportRequest, over transport: any Transport,
    expecting isExpected: @Sendable (TransferTrace.Events) -> Bool = { _ in true }
  ) async throws -> TransferTrace.Events {
    try await end(of: start(request, over: transport), expecting: isExpected)
  }

  @discardableResult
  func exchange(
    _ path: String, over transport: any Transport,
    expecting isExpected: @Sendable (TransferTrace.Events) -> Bool = { _ in true }
  ) async throws -> TransferTrace.Events {
    try await exchange(TransportRequest(url: origin + path), over: transport, expecting: isExpected)
  }

  /// Suspends until a transfer has ended; notes its events if they are not the expected ones.
  @discardableResult
  func end(
    of started: Started, expecting isExpected: @Sendable (TransferTrace.Events) -> Bool = { _ in true }
  ) async throws -> TransferTrace.Events {
    let events = try await wait(for: "the end", of: started) { $0.isOver }
    expect(isExpected(events), events.summary)
    return events
  }

  /// Suspends until the events of a transfer fulfil a condition.
  @discardableResult
  func wait(
    for what: String, of started: Started, until condition: @Sendable (TransferTrace.Events) -> Bool
  ) async throws -> TransferTrace.Events {
    guard await started.trace.wait(patience, until: condition) else {
      throw Failure(description: "\(what) did not come within \(patience): \(started.events.summary)")
    }
    return started.events
  }

  /// Suspends until the server's log fulfils a condition.
  @discardableResult
  func log(
    _ what: String, until condition: @Sendable (LoopbackServer.Log) -> Bool
  ) async throws -> LoopbackServer.Log {
    do {
      return try await server.log(timeout: patience, until: condition)
    } catch {
      throw Failure(description: "the server did not see \(what) within \(patience): \(server.log)")
    }
  }

  /// Polls a condition that no event announces.
  func poll(_ what: String, until condition: () async -> Bool) async throws {
    let deadline = ContinuousClock.now + patience
    while await !condition() {
      guard ContinuousClock.now < deadline else {
        throw Failure(description: "\(what): not within \(patience)")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Ends the check; returns what was violated.
  func finish() async -> [String] {
    let started = state.withLock { $0.started }
    for transfer in started where !transfer.events.isOver { transfer.cancel() }
    for transfer in started where await !transfer.trace.wait(patience, until: { $0.isOver }) {
      note("a cancelled transfer did not end within \(patience)")
    }
    // A late event of a transfer would come before the response to another request.
    let transports = state.withLock { $0.transports }
    for transport in transports {
      let flush = TransferTrace()
      let token = transport.start(TransportRequest(url: "\(origin)/ok"), handler: flush.record)
      if await !flush.wait(patience, until: { $0.isOver }) { note("the transport does not work any more") }
      token.cancel()
    }
    server.stop()
    for transfer in started {
      for fault in transfer.events.faults { note(fault) }
    }
    return state.withLock { $0.faults }
  }
}

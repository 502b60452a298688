internal import LoopbackServer
internal import NetworkCoreTransport
internal import ReactiveNetworkLock

extension TransportContract.Check {
  static let release: [Self] = [
    Self(.release, "the handler is released after the end") { run in
      let transport = try run.transport()
      for url in ["\(run.origin)/ok", "none"] {
        let (trace, kept) = run.startKeeping(TransportRequest(url: url), over: transport) { _ in }
        run.expect(await trace.wait(run.patience) { $0.isOver }, "no end: \(url)")
        try await run.poll("the release of the handler, \(url)") { kept.isReleased }
      }
    },
    Self(.release, "the handler is released after a cancel") { run in
      let transport = try run.transport()
      for path in ["/never", "/endless"] {
        let request = TransportRequest(url: run.origin + path)
        let (trace, kept) = run.startKeeping(request, over: transport) { $0.cancel() }
        run.expect(await trace.wait(run.patience) { $0.isOver }, "no end: \(path)")
        try await run.poll("the release of the handler, \(path)") { kept.isReleased }
      }
    },
    Self(.release, "a transfer continues if its token is released") { run in
      let transport = try run.transport()
      let (trace, _) = run.startKeeping(TransportRequest(url: "\(run.origin)/ok"), over: transport) { _ in }
      run.expect(await trace.wait(run.patience) { $0.isOver }, "no end")
      run.expect(trace.events.ends == [nil] && trace.events.text == "ok", trace.events.summary)
    },
    Self(.release, "transfers of a released transport end with .cancelled, at their cancel at the latest") {
      run in
      var transport: (any Transport)? = try run.unownedTransport()
      let transfers = ["/never", "/endless"].compactMap { path in
        transport.map { run.start(TransportRequest(url: run.origin + path), over: $0) }
      }
      try await run.log("the requests") { $0.requestCount == 2 }
      transport = nil
      for transfer in transfers {
        transfer.cancel()
        try await run.end(of: transfer) { $0.ends == [.cancelled] }
      }
      try await run.log("the connections close") { $0.openConnections == 0 }
    },
    Self(.release, "releasing the transport closes its connections") { run in
      var transport: (any Transport)? = try run.unownedTransport()
      if let transport { _ = try await run.exchange("/ok", over: transport) }
      transport = nil
      try await run.log("the connection close") { $0.openConnections == 0 }
    },
  ]
}

/// An object that a handler keeps alive.
private final class KeptObject: Sendable {}

/// A weak reference to what a handler keeps alive.
private final class KeptReference: Sendable {
  private struct State {
    weak var object: KeptObject?
  }

  private let state: Lock<State>

  init(_ object: KeptObject) {
    state = Lock(State(object: object))
  }

  var isReleased: Bool { state.withLock { $0.object == nil } }
}

extension CheckRun {
  /// Starts a transfer whose handler keeps an object, and drops its token after an action.
  fileprivate func startKeeping(
    _ request: TransportRequest, over transport: any Transport, _ action: (any Cancellable) -> Void
  ) -> (TransferTrace, KeptReference) {
    let kept = KeptObject()
    let reference = KeptReference(kept)
    let trace = TransferTrace()
    let (call, token) = begin(request, over: transport) { event in
      withExtendedLifetime(kept) { trace.record(event) }
    }
    action(token ?? call)
    return (trace, reference)
  }
}

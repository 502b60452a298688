internal import LoopbackServer
internal import NetworkCoreTransport
internal import ReactiveNetworkLock

extension TransportContract.Check {
  /// More than the buffers of a connection hold.
  private static let large = 32 << 20
  private static let size = 4 << 20

  static let pausing: [Self] = [
    Self(.pausing, "tokens are Transfers if the transport states that transfers can be paused") { run in
      let transport = try run.transport()
      let transfer = run.start(TransportRequest(url: "\(run.origin)/ok"), over: transport)
      if transport.pausesTransfers { run.expect(transfer.token is any Transfer, "a token is no Transfer") }
      try await run.end(of: transfer)
    },
    check("a pause in the handler of the head holds the body back, and the server waits") { run, transport in
      let paused = run.startHeld(.repeating(7, count: large), over: transport) { event, token in
        if case .head = event { (token as? any Transfer)?.pause() }
      }
      try await run.wait(for: "the head", of: paused) { $0.head != nil }
      let other = try await run.exchange("/ok", over: transport)
      run.expect(other.ends == [nil], "another transfer: \(other.summary)")
      run.expect(paused.events.pieces == 0 && !paused.events.isOver, paused.events.summary)
      run.expect(run.server.log.pending == 1, "the server has sent the whole body to a paused receiver")
      paused.transfer?.resume()
      try await run.end(of: paused) { $0.ends == [nil] && $0.bodyLength == large }
    },
    check("a pause in the handler of a piece holds the next one back") { run, transport in
      let isPausing = Lock(true)
      let paused = run.startHeld(.repeating(7, count: size), over: transport) { event, token in
        if case .body = event, isPausing.withLock({ $0 }) { (token as? any Transfer)?.pause() }
      }
      try await run.wait(for: "the body", of: paused) { $0.pieces > 0 }
      for _ in 0..<3 {
        let seen = paused.events.pieces
        let other = try await run.exchange("/ok", over: transport)
        run.expect(other.ends == [nil], "another transfer: \(other.summary)")
        run.expect(paused.events.pieces == seen && !paused.events.isOver, "an event after the pause")
        paused.transfer?.resume()
        try await run.wait(for: "the next piece", of: paused) { $0.pieces > seen || $0.isOver }
      }
      isPausing.withLock { $0 = false }
      paused.transfer?.resume()
      try await run.end(of: paused) { $0.ends == [nil] && $0.bodyLength == size }
    },
    check("a transfer that is paused at once continues after one resume()") { run, transport in
      run.server.route("/large") { _ in .repeating(7, count: size) }
      let started = run.start(TransportRequest(url: "\(run.origin)/large"), over: transport)
      for _ in 0..<3 { started.transfer?.pause() }
      started.transfer?.resume()
      try await run.end(of: started) { $0.ends == [nil] && $0.bodyLength == size }
    },
    check("resume() without a pause, and calls after the end, do nothing") { run, transport in
      let started = run.start(TransportRequest(url: "\(run.origin)/ok"), over: transport)
      started.transfer?.resume()
      let events = try await run.end(of: started)
      started.transfer?.pause()
      started.transfer?.resume()
      run.expect(events.ends == [nil] && events.text == "ok", events.summary)
    },
    check("the server sees the cancel of a paused transfer") { run, transport in
      let paused = run.startHeld(.repeating(7, count: 1 << 40), over: transport) { event, token in
        if case .body = event { (token as? any Transfer)?.pause() }
      }
      try await run.wait(for: "the body", of: paused) { $0.pieces > 0 }
      paused.cancel()
      try await run.end(of: paused) { $0.error == .cancelled }
      try await run.log("the cancel") { $0.abandoned.count == 1 }
    },
    check("pauses and resumes on several threads lose nothing") { run, transport in
      run.server.route("/large") { _ in .repeating(7, count: size) }
      let started = run.start(TransportRequest(url: "\(run.origin)/large"), over: transport)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<50 {
              started.transfer?.pause()
              await Task.yield()
              started.transfer?.resume()
            }
          }
        }
      }
      started.transfer?.resume()
      try await run.end(of: started) { $0.ends == [nil] && $0.bodyLength == size }
    },
  ]

  /// A check that runs only if transfers can be paused.
  private static func check(
    _ name: String, _ action: @escaping @Sendable (CheckRun, any Transport) async throws -> Void
  ) -> Self {
    Self(.pausing, name) { run in
      let transport = try run.transport()
      if transport.pausesTransfers { try await action(run, transport) }
    }
  }
}

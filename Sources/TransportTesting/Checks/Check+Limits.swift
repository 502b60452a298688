internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  static let limits: [Self] = [
    Self(.limits, "a body of exactly the limit arrives") { run in
      run.server.route("/a") { _ in .repeating(7, count: 1_000) }
      let transport = try run.transport()
      for limit in [1_000, 1_001] {
        let request = TransportRequest(url: "\(run.origin)/a", responseBodyLimit: limit)
        try await run.exchange(request, over: transport) { $0.ends == [nil] && $0.body.count == 1_000 }
      }
    },
    tooLarge("a body that is announced as longer than the limit", .repeating(7, count: 1_001)),
    tooLarge("a chunked body longer than the limit", .repeating(7, count: 1_001).chunked(size: 100)),
    tooLarge("a body without a length that exceeds the limit", .repeating(7, count: 1_001).endedByClosing()),
    Self(.limits, "the server sees the end of a body that is too large") { run in
      let request = TransportRequest(url: "\(run.origin)/endless", responseBodyLimit: 1 << 20)
      try await run.exchange(request, over: run.transport()) { $0.error == .responseTooLarge(limit: 1 << 20) }
      try await run.log("the end") { $0.pending == 0 }
    },
    Self(.limits, "a server that stays silent ends the transfer after idleTimeout, and sees that") { run in
      let request = TransportRequest(url: "\(run.origin)/never", idleTimeout: .milliseconds(200))
      let events = try await run.exchange(request, over: run.transport())
      if case .timedOut? = events.error {} else { run.note(events.summary) }
      try await run.log("the end") { $0.abandoned.count == 1 }
    },
    Self(.limits, "a server that stops in the body ends the transfer after idleTimeout") { run in
      let gate = LoopbackServer.Gate()
      run.server.route("/a") { _ in .text("half of it").bodyHeld(until: gate, after: 4) }
      let request = TransportRequest(url: "\(run.origin)/a", idleTimeout: .milliseconds(500))
      let events = try await run.exchange(request, over: run.transport())
      if case .timedOut? = events.error {} else { run.note(events.summary) }
    },
  ]

  private static func tooLarge(_ what: String, _ reply: LoopbackServer.Reply) -> Self {
    Self(.limits, "\(what) ends with .responseTooLarge") { run in
      run.server.route("/a") { _ in reply }
      let request = TransportRequest(url: "\(run.origin)/a", responseBodyLimit: 1_000)
      let events = try await run.exchange(request, over: run.transport())
      run.expect(events.error == .responseTooLarge(limit: 1_000), events.summary)
      run.expect(events.bodyLength <= 1_000, "\(events.bodyLength) bytes were reported")
    }
  }
}

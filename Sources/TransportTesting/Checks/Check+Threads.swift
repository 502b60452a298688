internal import Foundation
internal import LoopbackServer
internal import NetworkCoreTransport
internal import ReactiveNetworkLock

extension TransportContract.Check {
  static let threads: [Self] = [
    Self(.threads, "start returns while the server prepares the response") { run in
      let gate = LoopbackServer.Gate()
      run.server.route("/a") { _ in .text("late").held(until: gate) }
      let transfer = run.start(TransportRequest(url: "\(run.origin)/a"), over: try run.transport())
      gate.open()
      try await run.end(of: transfer) { $0.ends == [nil] && $0.text == "late" }
    },
    Self(.threads, "the handler is not called within start") { run in
      let transport = try run.transport()
      // Each start of a check is watched.
      for url in ["\(run.origin)/ok", "none"] {
        try await run.end(of: run.start(TransportRequest(url: url), over: transport))
      }
    },
    Self(.threads, "a slow handler gets one event at a time") { run in
      run.server.route("/a") { _ in .bytes(megabyte).chunked(size: 100_000) }
      let request = TransportRequest(url: "\(run.origin)/a")
      let transfer = run.start(request, over: try run.transport()) { _ in usleep(2_000) }
      try await run.end(of: transfer) { $0.ends == [nil] && $0.body == megabyte }
    },
    Self(.threads, "a handler may start a request and wait for nothing") { run in
      let transport = try run.transport()
      let inner = TransferTrace()
      let token = Lock<(any Cancellable)?>(nil)
      let next = TransportRequest(url: "\(run.origin)/ok")
      let transfer = run.start(next, over: transport) { event in
        guard case .head = event else { return }
        let started = transport.start(next, handler: inner.record)
        token.withLock { $0 = started }
      }
      try await run.end(of: transfer)
      run.expect(await inner.wait(run.patience) { $0.isOver }, "the request of the handler did not end")
      run.expect(inner.events.ends == [nil], inner.events.summary)
    },
    Self(.threads, "a request that a slow handler starts is sent at once") { run in
      let gate = LoopbackServer.Gate()
      run.server.route("/a") { _ in .text("first").held(until: gate) }
      let transport = try run.transport()
      let first = TransportRequest(url: "\(run.origin)/a")
      let next = TransportRequest(url: "\(run.origin)/ok")
      let inner = TransferTrace()
      let started = (0..<2).map { number in
        run.start(first, over: transport) { event in
          guard number == 0, case .head = event else { return }
          usleep(30_000)
          _ = transport.start(next, handler: inner.record)
        }
      }
      try await run.log("both requests") { $0.pending == 2 }
      gate.open()
      for transfer in started { try await run.end(of: transfer) }
      run.expect(await inner.wait(run.patience) { $0.isOver }, "the request of the handler did not end")
      run.expect(inner.events.ends == [nil], inner.events.summary)
    },
    Self(.threads, "requests may be started on several threads") { run in
      let transport = try run.transport()
      let ends = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<5 {
              guard let events = try? await run.exchange("/ok", over: transport), events.ends == [nil]
              else { return false }
            }
            return true
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      run.expect(ends.allSatisfy { $0 }, "a request failed")
      run.expect(run.server.log.answered >= 40, "\(run.server.log.answered) responses")
    },
    Self(.threads, "deliversOnLoop changes no event") { run in
      var request = TransportRequest(url: "\(run.origin)/ok")
      request.deliversOnLoop = true
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] && $0.text == "ok" }
    },
  ]
}

internal import Dispatch
internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  static let cancellation: [Self] = [
    Self(.cancellation, "a transfer that is cancelled at once ends with .cancelled") { run in
      let transfer = run.start(TransportRequest(url: "\(run.origin)/never"), over: try run.transport())
      run.expect(!transfer.token.isCancelled, "isCancelled is true before cancel()")
      transfer.cancel()
      run.expect(transfer.token.isCancelled, "isCancelled is false after cancel()")
      try await run.end(of: transfer) { $0.error == .cancelled && $0.head == nil }
    },
    Self(.cancellation, "the server sees the cancel while it prepares the response") { run in
      let transfer = run.start(TransportRequest(url: "\(run.origin)/never"), over: try run.transport())
      try await run.log("the request") { $0.pending == 1 }
      transfer.cancel()
      try await run.end(of: transfer) { $0.error == .cancelled && $0.head == nil }
      let log = try await run.log("the cancel") { $0.abandoned.count == 1 }
      run.expect(log.abandoned.first?.phase == .waiting, "abandoned in another phase")
    },
    Self(.cancellation, "the server sees the cancel between the head and the body") { run in
      let gate = LoopbackServer.Gate()
      run.server.route("/a") { _ in .text("late").bodyHeld(until: gate) }
      let transfer = run.start(TransportRequest(url: "\(run.origin)/a"), over: try run.transport())
      try await run.wait(for: "the head", of: transfer) { $0.head != nil }
      transfer.cancel()
      try await run.end(of: transfer) { $0.error == .cancelled && $0.pieces == 0 }
      try await run.log("the cancel") { $0.abandoned.count == 1 }
    },
    Self(.cancellation, "the server sees the cancel while it sends the body") { run in
      let transfer = run.start(TransportRequest(url: "\(run.origin)/endless"), over: try run.transport())
      try await run.wait(for: "the body", of: transfer) { $0.pieces > 0 }
      transfer.cancel()
      try await run.end(of: transfer) { $0.error == .cancelled }
      try await run.log("the cancel") { $0.abandoned.count == 1 }
    },
    Self(.cancellation, "the server sees the cancel while the handler blocks") { run in
      let mayReturn = DispatchSemaphore(value: 0)
      let request = TransportRequest(url: "\(run.origin)/endless")
      let transfer = run.start(request, over: try run.transport()) { event in
        if case .head = event { mayReturn.wait() }
      }
      do {
        defer { mayReturn.signal() }
        try await run.wait(for: "the head", of: transfer) { $0.head != nil }
        transfer.cancel()
        try await run.log("the cancel") { $0.abandoned.count == 1 }
      }
      try await run.end(of: transfer) { $0.error == .cancelled && $0.pieces == 0 }
    },
    Self(.cancellation, "a cancel in the handler of the head is followed by the end only") { run in
      try await run.cancelInHandler(.text("body"), at: { if case .head = $0 { true } else { false } }) {
        $0.error == .cancelled && $0.pieces == 0
      }
    },
    Self(.cancellation, "a cancel in the handler of the body is followed by the end only") { run in
      try await run.cancelInHandler(run.endless, at: { if case .body = $0 { true } else { false } }) {
        $0.error == .cancelled && $0.pieces == 1
      }
    },
    Self(.cancellation, "a cancel in the handler of the end does nothing") { run in
      try await run.cancelInHandler(.text("ok"), at: { if case .finished = $0 { true } else { false } }) {
        $0.ends == [nil] && $0.text == "ok"
      }
    },
    Self(.cancellation, "a cancel after the end does nothing") { run in
      let transfer = run.start(TransportRequest(url: "\(run.origin)/ok"), over: try run.transport())
      try await run.end(of: transfer)
      transfer.cancel()
      transfer.cancel()
      run.expect(transfer.events.ends == [nil], transfer.events.summary)
    },
    Self(.cancellation, "a second cancel does nothing") { run in
      let transfer = run.start(TransportRequest(url: "\(run.origin)/never"), over: try run.transport())
      for _ in 0..<3 { transfer.cancel() }
      let events = try await run.end(of: transfer)
      transfer.cancel()
      run.expect(events.ends == [.cancelled], events.summary)
    },
    Self(.cancellation, "a cancel on several threads at once ends the transfer once") { run in
      let transport = try run.transport()
      for _ in 0..<10 {
        let transfer = run.start(TransportRequest(url: "\(run.origin)/endless"), over: transport)
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 { group.addTask { transfer.cancel() } }
        }
        try await run.end(of: transfer) { $0.ends == [.cancelled] }
      }
    },
    Self(.cancellation, "a cancel does not affect another transfer") { run in
      let gate = LoopbackServer.Gate()
      run.server.route("/a") { _ in .text("kept").held(until: gate) }
      let transport = try run.transport()
      let kept = run.start(TransportRequest(url: "\(run.origin)/a"), over: transport)
      let other = run.start(TransportRequest(url: "\(run.origin)/never"), over: transport)
      try await run.log("both requests") { $0.pending == 2 }
      other.cancel()
      try await run.end(of: other)
      gate.open()
      try await run.end(of: kept) { $0.ends == [nil] && $0.text == "kept" }
    },
    Self(.cancellation, "the server sees each of 40 cancels, at various moments") { run in
      let transport = try run.transport()
      var transfers: [CheckRun.Started] = []
      for number in 0..<40 {
        let path = number.isMultiple(of: 2) ? "/endless" : "/never"
        transfers.append(run.start(TransportRequest(url: run.origin + path), over: transport))
        if number.isMultiple(of: 3) { await Task.yield() }
        transfers[number / 2].cancel()
      }
      for transfer in transfers { transfer.cancel() }
      for transfer in transfers { try await run.end(of: transfer) { $0.ends == [.cancelled] } }
      try await run.log("the cancels") { $0.pending == 0 }
    },
    Self(.cancellation, "a transport works after a cancel") { run in
      let transport = try run.transport()
      for _ in 0..<5 {
        let transfer = run.start(TransportRequest(url: "\(run.origin)/endless"), over: transport)
        try await run.wait(for: "the head", of: transfer) { $0.head != nil }
        transfer.cancel()
        try await run.exchange("/ok", over: transport) { $0.ends == [nil] && $0.text == "ok" }
      }
    },
  ]
}

extension CheckRun {
  /// Starts a transfer that is cancelled in its handler, at the first event that fulfils a condition.
  fileprivate func cancelInHandler(
    _ reply: LoopbackServer.Reply, at condition: @escaping @Sendable (TransferEvent) -> Bool,
    expecting isExpected: @Sendable (TransferTrace.Events) -> Bool
  ) async throws {
    let started = startHeld(reply, over: try transport()) { event, token in
      if condition(event) { token.cancel() }
    }
    try await end(of: started, expecting: isExpected)
  }
}

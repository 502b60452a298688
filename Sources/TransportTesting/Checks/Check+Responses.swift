internal import Foundation
internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  /// A body of 1 MiB, in which a lost, repeated or moved byte shows.
  static let megabyte = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) })

  static let responses: [Self] = [
    Self(.responses, "a response is a head, its body and one end") { run in
      run.server.route("/a") { _ in .text("hello").header("X-Note", "as sent") }
      let events = try await run.exchange("/a?b=c", over: run.transport())
      run.expect(events.ends == [nil] && events.status == 200, events.summary)
      run.expect(events.text == "hello", "the body is \(events.text)")
      run.expect(events.head?.headers["x-note"] == "as sent", "the field X-Note is missing")
    },
    Self(.responses, "the head has the requested URL") { run in
      run.server.route("/a") { _ in .status(200) }
      let events = try await run.exchange("/a?b=c", over: run.transport())
      run.expect(events.head?.url == "\(run.origin)/a?b=c", "the URL is \(events.head?.url ?? "missing")")
    },
    Self(.responses, "no status is an error") { run in
      run.server.route("/:code") { .status(Int($0.parameters["code"] ?? "") ?? 0) }
      let transport = try run.transport()
      for code in [200, 201, 304, 404, 418, 500, 503] {
        let events = try await run.exchange("/\(code)", over: transport)
        run.expect(events.ends == [nil] && events.status == code, "\(code): \(events.summary)")
      }
    },
    Self(.responses, "a 401 without a credential is a normal response") { run in
      run.server.route("/a") { _ in .text("no", status: 401).header("WWW-Authenticate", #"Basic realm="x""#) }
      let events = try await run.exchange("/a", over: run.transport())
      run.expect(events.ends == [nil] && events.status == 401 && events.text == "no", events.summary)
    },
    Self(.responses, "a response to HEAD has no body, even if it names a content coding") { run in
      run.server.route("/a") { _ in .text("text").header("Content-Encoding", "gzip") }
      let request = TransportRequest(method: .head, url: "\(run.origin)/a")
      let events = try await run.end(of: run.start(request, over: run.transport()))
      run.expect(events.ends == [nil] && events.status == 200 && events.pieces == 0, events.summary)
    },
    Self(.responses, "a response without a body has no piece") { run in
      run.server.route("/a") { _ in .status(204) }
      run.server.route("/b") { _ in .bytes([]).chunked() }
      let transport = try run.transport()
      for path in ["/a", "/b"] {
        let events = try await run.exchange(path, over: transport)
        run.expect(events.ends == [nil] && events.pieces == 0, "\(path): \(events.summary)")
      }
    },
    Self(.responses, "a response to HEAD has a head only") { run in
      run.server.route("/a") { _ in .text("12345") }
      let request = TransportRequest(method: .head, url: "\(run.origin)/a")
      let events = try await run.exchange(request, over: run.transport())
      run.expect(events.ends == [nil] && events.pieces == 0, events.summary)
      run.expect(events.head?.headers["Content-Length"] == "5", "Content-Length is missing")
    },
    Self(.responses, "a body of a known length arrives complete") { run in
      run.server.route("/a") { _ in .bytes(megabyte) }
      try await run.expectMegabyte("/a")
    },
    Self(.responses, "a chunked body arrives complete") { run in
      run.server.route("/a") { _ in .bytes(megabyte).chunked(size: 10_000) }
      try await run.expectMegabyte("/a")
    },
    Self(.responses, "a body that ends with the connection arrives complete") { run in
      run.server.route("/a") { _ in .bytes(megabyte).endedByClosing() }
      try await run.expectMegabyte("/a")
    },
    Self(.responses, "the head is reported before the body has arrived") { run in
      let gate = LoopbackServer.Gate()
      run.server.route("/a") { _ in .text("late").bodyHeld(until: gate) }
      let transfer = run.start(TransportRequest(url: "\(run.origin)/a"), over: try run.transport())
      try await run.wait(for: "the head", of: transfer) { $0.head != nil }
      run.expect(transfer.events.pieces == 0, "the body came before the server had sent it")
      gate.open()
      try await run.end(of: transfer) { $0.ends == [nil] && $0.text == "late" }
    },
    Self(.responses, "a piece of the body is reported before the next one has arrived") { run in
      let gate = LoopbackServer.Gate()
      run.server.route("/a") { _ in .text("early late").chunked(size: 6).bodyHeld(until: gate, after: 6) }
      let transfer = run.start(TransportRequest(url: "\(run.origin)/a"), over: try run.transport())
      try await run.wait(for: "the first piece", of: transfer) { $0.text == "early " }
      gate.open()
      try await run.end(of: transfer) { $0.ends == [nil] && $0.text == "early late" }
    },
    Self(.responses, "values of repeated fields are kept") { run in
      run.server.route("/a") { _ in .status(200).header("X-Note", "one").header("X-Note", "two") }
      let events = try await run.exchange("/a", over: run.transport())
      let values = events.head?.headers.filter { $0.name.lowercased() == "x-note" }.map(\.value) ?? []
      run.expect(values.joined(separator: ", ") == "one, two", "the values are \(values)")
    },
    Self(.responses, "informational responses are not reported") { run in
      run.server.route("/a") { _ in .text("body").preceded(by: 103, headers: [("Link", "early")]) }
      let events = try await run.exchange("/a", over: run.transport())
      run.expect(events.ends == [nil] && events.status == 200 && events.text == "body", events.summary)
      run.expect(events.head?.headers["Link"] == nil, "the head has a field of the 103")
    },
    Self(.responses, "trailers are not part of the head or the body") { run in
      run.server.route("/a") { _ in .text("body").chunked().trailer("X-Trailer", "t") }
      let events = try await run.exchange("/a", over: run.transport())
      run.expect(events.ends == [nil] && events.text == "body", events.summary)
      run.expect(events.head?.headers["X-Trailer"] == nil, "the head has a trailer")
    },
    Self(.responses, "metrics are reported only on request") { run in
      let transport = try run.transport()
      let plain = try await run.exchange("/ok", over: transport)
      run.expect(plain.metrics == nil, "metrics without a request for them")
      var request = TransportRequest(url: "\(run.origin)/ok")
      request.reportsMetrics = true
      try await run.exchange(request, over: transport) { $0.ends == [nil] && $0.text == "ok" }
    },
    Self(.responses, "each of 50 requests at once gets its own response") { run in
      run.server.route("/number/:n") { .text($0.parameters["n"] ?? "") }
      let transport = try run.transport()
      let transfers = (0..<50).map { number in
        run.start(TransportRequest(url: "\(run.origin)/number/\(number)"), over: transport)
      }
      for (number, transfer) in transfers.enumerated() {
        let events = try await run.end(of: transfer)
        run.expect(events.ends == [nil] && events.text == "\(number)", "\(number): \(events.summary)")
      }
    },
  ]
}

extension CheckRun {
  fileprivate func expectMegabyte(_ path: String) async throws {
    let events = try await exchange(path, over: transport())
    expect(events.ends == [nil], events.summary)
    expect(events.body == TransportContract.Check.megabyte, "the body differs: \(events.summary)")
  }
}

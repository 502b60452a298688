internal import struct Foundation.Data
internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  static let redirects: [Self] = [
    Self(.redirects, "only the last response of a chain of redirects is reported") { run in
      run.server.route("/a") { _ in .redirect(to: "b") }
      run.server.route("/b") { _ in .redirect(to: "/c", status: 301) }
      run.server.route("/c") { _ in .text("end") }
      let events = try await run.exchange("/a", over: run.transport())
      run.expect(events.ends == [nil] && events.status == 200 && events.text == "end", events.summary)
      run.expect(events.head?.url == "\(run.origin)/c", "the URL is \(events.head?.url ?? "missing")")
    },
    rewritten("303 turns PUT into GET", 303, .put, expected: "GET "),
    rewritten("302 turns POST into GET", 302, .post, expected: "GET "),
    rewritten("307 repeats method and body", 307, .post, expected: "POST body"),
    rewritten("308 repeats method and body", 308, .put, expected: "PUT body"),
    Self(.redirects, "Authorization and Cookie do not follow a redirect to another origin") { run in
      let other = try LoopbackServer { _ in .text("other") }
      run.server.route("/a") { [origin = other.origin] _ in .redirect(to: "\(origin)/b") }
      let request = TransportRequest(
        url: "\(run.origin)/a", headers: ["Authorization": "secret", "Cookie": "a=b", "X-Kept": "yes"])
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] && $0.text == "other" }
      let seen = other.log.requests.first?.headers
      run.expect(seen?["Authorization"] == nil, "the other origin got Authorization")
      run.expect(seen?["Cookie"] == nil, "the other origin got Cookie")
      run.expect(seen?["X-Kept"] == "yes", "the other origin did not get an ordinary field")
    },
    Self(.redirects, "a credential does not follow a redirect to another origin") { run in
      let other = try LoopbackServer { _ in .text("other") }
      run.server.route("/a") { [origin = other.origin] _ in .redirect(to: "\(origin)/b") }
      var request = TransportRequest(url: "\(run.origin)/a")
      request.credential = .bearer(token: "secret")
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] && $0.text == "other" }
      run.expect(
        run.server.log.requests.first?.headers["Authorization"] == "Bearer secret", "no credential was sent")
      run.expect(other.log.requests.first?.headers["Authorization"] == nil, "the other origin got it")
    },
    Self(.redirects, "an endless chain of redirects ends with an error") { run in
      run.server.route("/a") { _ in .redirect(to: "/a") }
      let events = try await run.exchange("/a", over: run.transport())
      if case .tooManyRedirects? = events.error {} else { run.note(events.summary) }
    },
    Self(.redirects, "a redirect to another scheme is not followed") { run in
      let transport = try run.transport()
      for (number, url) in ["file:///etc/hostname", "ftp://127.0.0.1/"].enumerated() {
        run.server.route("/\(number)") { _ in .redirect(to: url) }
        try await run.exchange("/\(number)", over: transport) { $0.error != nil || $0.status == 302 }
      }
    },
    Self(.redirects, "the server sees a cancel after a redirect") { run in
      run.server.route("/a") { _ in .redirect(to: "/never") }
      let transfer = run.start(TransportRequest(url: "\(run.origin)/a"), over: try run.transport())
      try await run.log("the second request") { $0.requestCount == 2 }
      transfer.cancel()
      try await run.end(of: transfer) { $0.error == .cancelled }
      try await run.log("the cancel") { $0.pending == 0 }
    },
  ]

  private static func rewritten(
    _ name: String, _ status: Int, _ method: HTTPMethod, expected: String
  ) -> Self {
    Self(.redirects, name) { run in
      run.server.route("/a") { _ in .redirect(to: "/b", status: status) }
      run.server.route("/b") { .text("\($0.method) \($0.text)") }
      let request = TransportRequest(
        method: method, url: "\(run.origin)/a", body: .data(Data("body".utf8)))
      let events = try await run.exchange(request, over: run.transport())
      run.expect(events.ends == [nil] && events.text == expected, "\(events.summary): \(events.text)")
    }
  }
}

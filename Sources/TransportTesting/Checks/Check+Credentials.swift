internal import Foundation
internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  static let credentials: [Self] = [
    sent("a Basic credential is sent", .basic(user: "ash", password: "secret"), "Basic YXNoOnNlY3JldA=="),
    sent("a Bearer credential is sent", .bearer(token: "t"), "Bearer t"),
    Self(.credentials, "a request's own Authorization takes precedence over a credential") { run in
      var request = TransportRequest(url: "\(run.origin)/ok", headers: ["Authorization": "own"])
      request.credential = .bearer(token: "t")
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] }
      let seen = run.server.log.requests.last?.headers.values(of: "Authorization") ?? []
      run.expect(seen == ["own"], "Authorization is \(seen)")
    },
    Self(.credentials, "a credential is not sent with the next request") { run in
      let transport = try run.transport()
      var request = TransportRequest(url: "\(run.origin)/ok")
      let before = try await run.authorization(of: request, over: transport)
      request.credential = .bearer(token: "t")
      _ = try await run.authorization(of: request, over: transport)
      request.credential = nil
      let after = try await run.authorization(of: request, over: transport)
      run.expect(before == after, "Authorization is \(after ?? "missing"), and was \(before ?? "missing")")
    },
    Self(.credentials, "the transport states the credential that it adds") { run in
      let transport = try run.transport()
      let request = TransportRequest(url: "\(run.origin)/ok")
      let seen = try await run.authorization(of: request, over: transport)
      let stated = transport.addedCredentials(to: request)
      run.expect(
        seen == nil || stated.contains(.credential) || stated.contains(.unknown),
        "addedCredentials(to:) lacks .credential")
    },
    Self(.credentials, "the transport states that it keeps cookies") { run in
      run.server.route("/a") { _ in .status(200).header("Set-Cookie", "a=b; Path=/") }
      let transport = try run.transport()
      _ = try await run.exchange("/a", over: transport)
      _ = try await run.exchange("/ok", over: transport)
      let seen = run.server.log.requests.last?.headers["Cookie"]
      let stated = transport.addedCredentials(to: TransportRequest(url: "\(run.origin)/ok"))
      run.expect(seen == nil || stated.contains(.cookies), "addedCredentials(to:) lacks .cookies")
    },
    Self(.credentials, "a request that does not handle cookies gets none of the transport's") { run in
      run.server.route("/a") { _ in .status(200).header("Set-Cookie", "a=b; Path=/") }
      let transport = try run.transport()
      _ = try await run.exchange("/a", over: transport)
      var request = TransportRequest(url: "\(run.origin)/ok", headers: ["Cookie": "own=c"])
      request.handlesCookies = false
      _ = try await run.exchange(request, over: transport)
      let seen = run.server.log.requests.last?.headers["Cookie"]
      run.expect(seen == "own=c", "Cookie is \(seen ?? "missing")")
    },
    Self(.credentials, "a cache shares no response to a request with an added credential") { run in
      run.server.route("/a") { _ in .text("private").header("Cache-Control", "max-age=60") }
      let transport = try run.transport()
      let cache = try HTTPCache()
      var request = TransportRequest(url: "\(run.origin)/a")
      let events = try await run.exchange(request, over: CachingTransport(transport, cache: cache))
      run.expect(events.ends == [nil] && events.text == "private", events.summary)
      guard run.server.log.requests.last?.headers["Authorization"] != nil else { return }
      request.cachePolicy = .storedOnly
      let other = try await run.exchange(
        request, over: CachingTransport(AnonymousTransport(), cache: cache))
      run.expect(other.error == .notStored(url: request.url), "another user got: \(other.summary)")
    },
    Self(.credentials, "a cache sees the responses to requests with different fields apart") { run in
      run.server.route("/a") {
        .text($0.headers["X-Who"] ?? "").header("Cache-Control", "max-age=60").header("Vary", "X-Who")
      }
      let transport = CachingTransport(try run.transport(), cache: try HTTPCache())
      for who in ["ash", "misty", "ash"] {
        let request = TransportRequest(url: "\(run.origin)/a", headers: ["X-Who": who])
        let events = try await run.exchange(request, over: transport)
        run.expect(events.text == who, "\(who) got the response of \(events.text)")
      }
    },
  ]

  private static func sent(
    _ name: String, _ credential: TransportRequest.Credential, _ value: String
  ) -> Self {
    Self(.credentials, name) { run in
      var request = TransportRequest(url: "\(run.origin)/ok")
      request.credential = credential
      let seen = try await run.authorization(of: request, over: run.transport())
      run.expect(seen == value, "Authorization is \(seen ?? "missing")")
    }
  }
}

extension CheckRun {
  /// The `Authorization` that the server gets with a request.
  fileprivate func authorization(
    of request: TransportRequest, over transport: any Transport
  ) async throws -> String? {
    let events = try await exchange(request, over: transport)
    expect(events.ends == [nil], events.summary)
    return server.log.requests.last?.headers["Authorization"]
  }
}

/// Another user of a cache, whose requests add nothing; it sends none.
private struct AnonymousTransport: Transport {
  private struct Ended: Cancellable {
    var isCancelled: Bool { false }
    func cancel() {}
  }

  func addedCredentials(to request: TransportRequest) -> AddedCredentials { [] }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    handler(.finished(.other(code: 0, reason: "sent")))
    return Ended()
  }
}

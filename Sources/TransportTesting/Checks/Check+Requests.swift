internal import Foundation
internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  static let requests: [Self] = [
    Self(.requests, "method, target, fields and body are sent as they are") { run in
      run.server.route("*") { _ in .status(200) }
      let transport = try run.transport()
      for method in [HTTPMethod.post, .put, .patch, .delete, .init(rawValue: "x-Purge")] {
        let request = TransportRequest(
          method: method, url: "\(run.origin)/a%20b/c;d?e=%2B&f#g",
          headers: ["X-Note": "a b", "Content-Type": "a/b"], body: .data(Data("body".utf8)))
        try await run.exchange(request, over: transport) { $0.ends == [nil] }
        let seen = run.server.log.requests.last
        run.expect(seen?.method == method.rawValue, "the method is \(seen?.method ?? "missing")")
        run.expect(seen?.target == "/a%20b/c;d?e=%2B&f", "the target is \(seen?.target ?? "missing")")
        run.expect(seen?.headers["x-note"] == "a b", "X-Note is \(seen?.headers["x-note"] ?? "missing")")
        run.expect(
          seen?.headers["content-type"] == "a/b", "the type is \(seen?.headers["content-type"] ?? "missing")")
        run.expect(seen?.text == "body", "the body is \(seen?.text ?? "missing")")
      }
    },
    Self(.requests, "a body of 1 MiB is sent byte for byte, with its length") { run in
      run.server.route("/a") { _ in .status(200) }
      let request = TransportRequest(method: .put, url: "\(run.origin)/a", body: .data(megabyte))
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] && $0.sent.isEmpty }
      let seen = run.server.log.requests.last
      run.expect(seen?.body == megabyte, "\(seen?.bodyLength ?? 0) bytes arrived, or other bytes")
      run.expect(seen?.headers["Content-Length"] == "1048576", "the length was not announced")
    },
    Self(.requests, "a POST without a body announces the length 0") { run in
      run.server.route("/a") { _ in .status(200) }
      let events = try await run.exchange(
        TransportRequest(method: .post, url: "\(run.origin)/a"), over: run.transport())
      run.expect(events.ends == [nil], events.summary)
      run.expect(run.server.log.requests.last?.headers["Content-Length"] == "0", "no Content-Length")
    },
    Self(.requests, "a GET can have a body") { run in
      run.server.route("/a") { .text($0.text) }
      let request = TransportRequest(url: "\(run.origin)/a", body: .data(Data("query".utf8)))
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] && $0.text == "query" }
    },
    Self(.requests, "a request has no field of an earlier one") { run in
      let transport = try run.transport()
      _ = try await run.exchange(
        TransportRequest(url: "\(run.origin)/ok", headers: ["X-Note": "a", "Accept": "a/b"]), over: transport)
      _ = try await run.exchange("/ok", over: transport)
      let seen = run.server.log.requests.last?.headers
      run.expect(seen?["X-Note"] == nil && seen?["Accept"] != "a/b", "a field was sent again")
    },
    Self(.requests, "the progress of a body rises to its length, on request") { run in
      run.server.route("/a") { _ in .status(200) }
      let request = TransportRequest(
        method: .put, url: "\(run.origin)/a", body: .data(megabyte), reportsProgress: true)
      let events = try await run.exchange(request, over: run.transport()) { $0.ends == [nil] }
      run.expect(events.sent.last == 1_048_576, "the last progress is \(events.sent.last ?? 0)")
    },
    Self(.requests, "the default fields are sent, and a request's own field replaces them") { run in
      let transport = try run.transport()
      _ = try await run.exchange("/ok", over: transport)
      let first = run.server.log.requests.last?.headers
      for field in transport.defaultHeaders {
        run.expect(first?[field.name] == field.value, "\(field.name) is \(first?[field.name] ?? "missing")")
        let own = TransportRequest(url: "\(run.origin)/ok", headers: [field.name: "own"])
        _ = try await run.exchange(own, over: transport)
        let seen = run.server.log.requests.last?.headers[field.name]
        run.expect(seen == "own", "\(field.name) is \(seen ?? "missing")")
      }
    },
  ]
}

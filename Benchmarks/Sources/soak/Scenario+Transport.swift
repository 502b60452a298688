import Foundation
import NetworkCore

extension ServerAddresses {
  /// Requests over the bare transport that succeed.
  var requests: [Scenario] {
    [
      .request("text", plain + "/text", weight: 20),
      .request("text over HTTP/2", secure + "/text", weight: 20),
      .request("chunks", plain + "/chunked", weight: 10),
      .request("redirect", plain + "/redirect", weight: 4),
      .request("slow", plain + "/slow", weight: 4),
      .request("trickle", plain + "/trickle", weight: 2),
      .request("trickle over HTTP/2", secure + "/trickle", weight: 2),
      .request("missing", plain + "/missing", status: 404, weight: 4),
      .request("large", plain + "/large", weight: 1, String(repeating: "a", count: largeCount)),
      .request("large over HTTP/2", secure + "/large", weight: 1, String(repeating: "a", count: largeCount)),
      .request("new keys", secure + "/keys", weight: 1),
      .request("the server leaves", secure + "/leave", weight: 1),
      .request("full disk of the server", plain + "/full", status: 507, weight: 1, body: .bytes(2_000)),
      .echo("echo of 2 kB", plain + "/echo", bytes: 2_000, weight: 8),
      .echo("echo of 200 kB", plain + "/echo", bytes: 200_000, weight: 1),
      .echo("echo over HTTP/2", secure + "/echo", bytes: 200_000, weight: 1),
    ]
  }

  /// Requests over the bare transport whose servers fail.
  var faults: [Scenario] {
    [
      .fault("refused", "http://127.0.0.1:\(closedPort)/", "cannotConnect"),
      .fault("closed", plain + "/close", "connectionLost"),
      .fault("reset", plain + "/reset", "connectionLost"),
      .fault("closed in the head", plain + "/close-in-head", "connectionLost"),
      .fault("closed in the body", plain + "/close-in-body", "truncatedBody"),
      .fault("reset in the body", plain + "/reset-in-body", "truncatedBody", "connectionLost"),
      .fault("closed in chunks", plain + "/close-in-chunks", "truncatedBody"),
      .fault("wrong length", plain + "/wrong-length", "truncatedBody"),
      .fault("bad chunk", plain + "/bad-chunk", "badServerResponse"),
      .fault("no HTTP", plain + "/garbage", "badServerResponse"),
      .fault("redirect loop", plain + "/loop", "tooManyRedirects"),
      .fault("redirect to a file", plain + "/elsewhere", "redirectRefused"),
      .fault("no response", plain + "/never", "timedOut", idleTimeout: .milliseconds(200)),
      .fault(
        "reset stream", secure + "/stream-reset", "connectionLost", "truncatedBody", "badServerResponse"),
      .fault("line break in a field", plain + "/text", "invalidField", headers: ["X": "a\r\nY: b"]),
    ]
  }

  /// Requests over the bare transport that the caller cancels.
  var cancellations: [Scenario] {
    [
      .cancellation("cancel", plain + "/trickle"),
      .cancellation("cancel of a large body", plain + "/large"),
      .cancellation("cancel without a response", plain + "/never"),
      .cancellation("cancel over HTTP/2", secure + "/trickle"),
    ]
  }
}

extension TransportRequest.Body {
  fileprivate static func bytes(_ count: Int) -> Self { .data(pattern(count)) }
}

/// Returns so many bytes, whose values repeat.
func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }) }

extension Scenario {
  fileprivate static func request(
    _ name: String, _ url: String, status: Int = 200, weight: Int, body: TransportRequest.Body = .none,
    _ text: String = text
  ) -> Scenario {
    let expected = Data(text.utf8)
    let request = TransportRequest(
      method: body == .none ? .get : .put, url: url, headers: [scenarioField: name], body: body)
    return Scenario(name: name, weight: weight, client: .transport(request)) {
      if case .response(status, expected) = $0 { true } else { false }
    }
  }

  fileprivate static func echo(_ name: String, _ url: String, bytes: Int, weight: Int) -> Scenario {
    let body = pattern(bytes)
    let request = TransportRequest(method: .put, url: url, headers: [scenarioField: name], body: .data(body))
    return Scenario(name: name, weight: weight, client: .transport(request)) {
      if case .response(200, body) = $0 { true } else { false }
    }
  }

  fileprivate static func fault(
    _ name: String, _ url: String, _ kinds: String..., headers: HTTPHeaders = [:],
    idleTimeout: Duration = .seconds(60)
  ) -> Scenario {
    var headers = headers
    headers.update(name: scenarioField, value: name)
    let request = TransportRequest(url: url, headers: headers, idleTimeout: idleTimeout)
    return Scenario(name: name, weight: 1, client: .transport(request)) {
      kinds.contains($0.failureKind ?? "")
    }
  }

  fileprivate static func cancellation(_ name: String, _ url: String) -> Scenario {
    let request = TransportRequest(url: url, headers: [scenarioField: name])
    return Scenario(
      name: name, weight: 1, client: .transport(request), isCancelled: true, isExpected: \.isOfCancelledRun)
  }
}

extension Outcome {
  /// Whether it may be the outcome of a run that is cancelled after a while.
  var isOfCancelledRun: Bool {
    switch self {
    case .complete, .noEvent: true
    case .response(200, let body): body == Data(text.utf8) || body.count == largeCount
    case .failure: failureKind == "cancelled"
    default: false
    }
  }
}

import Foundation
import NetworkCore
import Testing

@Suite("Revalidation of stored responses", .timeLimit(.minutes(5)))
struct StoredResponseTests {
  /// Sends two requests to a server that responds first with a body, and then with 304 if the request has the
  /// tag.
  private func fetch(
    _ first: HTTPHeaders, then second: HTTPHeaders, ending error: TransferError? = nil
  ) async throws -> (second: TransferRecorder.Events, count: Int) {
    let server = ScriptedTransport { transfer in
      guard transfer.request.headers["If-None-Match"] != nil else {
        return transfer.respond(headers: first, "body")
      }
      transfer.send(
        .head(ResponseHead(statusCode: 304, url: transfer.request.url, headers: second)), .finished(error))
    }
    let transport = CachingTransport(server, cache: try HTTPCache())
    #expect(await transport.exchange(.init(url: "http://h/a")).error == nil)
    return (await transport.exchange(.init(url: "http://h/a")), server.transfers.count)
  }

  private func fields(_ tag: String = "\"1\"", _ others: (String, String)...) -> HTTPHeaders {
    var fields: HTTPHeaders = ["ETag": tag, "Cache-Control": "no-cache"]
    for (name, value) in others { fields.add(name: name, value: value) }
    return fields
  }

  @Test(
    "weak and strong tags with the same value match",
    arguments: [
      ("W/\"1\"", "\"1\"", true), ("\"1\"", "W/\"1\"", true), ("W/\"1\"", "W/\"1\"", true),
      ("W/\"1\"", "W/\"2\"", false), ("\"1\"", "\"2\"", false),
    ])
  func weakness(stored: String, said: String, isSame: Bool) async throws {
    let (events, count) = try await fetch(fields(stored), then: fields(said))
    #expect(events.status == 200)
    #expect(events.body == Data("body".utf8))
    #expect(count == (isSame ? 2 : 3))
  }

  @Test(
    "the fields in a 304 that describe the body are ignored, and all others but those of the connection are used",
    arguments: [
      ("Content-Length", "4"), ("Content-Encoding", "4"), ("Content-Range", "4"), ("Content-Type", "4"),
      ("Transfer-Encoding", nil), ("Connection", nil), ("X-Own", "9"), ("Content-Language", "9"),
    ] as [(String, String?)])
  func update(name: String, value: String?) async throws {
    let (events, count) = try await fetch(fields("\"1\"", (name, "4")), then: fields("\"1\"", (name, "9")))
    #expect(events.head?.headers[name] == value)
    #expect(count == 2)
  }

  @Test("a stored response has no Content-Length that a transfer coding overrides")
  func overriddenLength() async throws {
    let (events, count) = try await fetch(
      fields("\"1\"", ("Transfer-Encoding", "chunked"), ("Content-Length", "99")), then: fields())
    #expect(events.head?.headers["Content-Length"] == nil)
    #expect(count == 2)
  }

  @Test(
    "a HEAD with another length than that of the stored body makes the response stale", arguments: [4, 9])
  func lengthOfHead(length: Int) async throws {
    let server = ScriptedTransport { transfer in
      var fields: HTTPHeaders = [
        "Last-Modified": "Tue, 15 Nov 1994 12:00:00 GMT", "Cache-Control": "max-age=60",
      ]
      guard transfer.request.method == .head else { return transfer.respond(headers: fields, "body") }
      fields["Content-Length"] = "\(length)"
      transfer.send(
        .head(ResponseHead(statusCode: 200, url: transfer.request.url, headers: fields)), .finished(nil))
    }
    let transport = CachingTransport(server, cache: try HTTPCache())
    for (method, policy) in [(HTTPMethod.get, nil), (.head, "no-cache"), (.get, nil)] {
      var request = TransportRequest(method: method, url: "http://h/a")
      request.headers["Cache-Control"] = policy
      #expect(await transport.exchange(request).error == nil)
    }
    #expect(server.transfers.map(\.request.method) == (length == 4 ? [.get, .head] : [.get, .head, .get]))
  }

  @Test("a revalidated response has the age of the 304", arguments: [nil, "7"])
  func age(said: String?) async throws {
    var confirmation = fields()
    confirmation["Age"] = said
    let (events, count) = try await fetch(fields("\"1\"", ("Age", "50")), then: confirmation)
    #expect(events.status == 200)
    #expect(events.head?.headers["Age"] == said)
    #expect(count == 2)
  }

  @Test(
    "a 304 without a Date counts as sent when it arrives", arguments: [nil, "Tue, 15 Nov 1994 13:00:00 GMT"])
  func date(said: String?) async throws {
    var confirmation = fields()
    confirmation["Date"] = said
    let (events, _) = try await fetch(
      fields("\"1\"", ("Date", "Tue, 15 Nov 1994 12:00:00 GMT")), then: confirmation)
    #expect(events.status == 200)
    #expect(events.head?.headers["Date"] == said)
  }

  @Test("a 304 whose transfer fails is that failure, whatever its tag", arguments: ["\"1\"", "\"2\""])
  func failure(tag: String) async throws {
    let (events, count) = try await fetch(fields(), then: fields(tag), ending: .connectionLost(reason: "r"))
    #expect(events.error == .connectionLost(reason: "r"))
    #expect(events.heads == 0)
    #expect(count == 2)
  }
}

import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
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
      // In two lines; and in two forms that are equal as strings.
      ("\"1\", \"1\"", "\"1\"", true), ("W/1", "1", true), ("1", "2", false),
      ("\"\u{E9}\"", "\"e\u{301}\"", false), ("\u{E9}", "e\u{301}", false),
    ])
  func weakness(stored: String, said: String, isSame: Bool) async throws {
    let (events, count) = try await fetch(fields(stored), then: fields(said))
    #expect(events.status == 200)
    #expect(events.body == Data("body".utf8))
    #expect(count == (isSame ? 2 : 3))
  }

  @Test(
    "the fields in a 304 that describe the stored bytes are ignored; all others but those of the connection are used",
    arguments: [
      ("Content-Length", "4"), ("Content-Encoding", "4"), ("Content-Range", "4"), ("Content-Type", "9"),
      ("Transfer-Encoding", nil), ("Connection", nil), ("X-Own", "9"), ("Content-Language", "9"),
      ("Keep-Alive", nil), ("Proxy-Connection", nil), ("TE", nil), ("Upgrade", nil),
      ("Proxy-Authenticate", nil), ("Proxy-Authentication-Info", nil), ("Proxy-Authorization", nil),
    ] as [(String, String?)])
  func update(name: String, value: String?) async throws {
    let (events, count) = try await fetch(fields("\"1\"", (name, "4")), then: fields("\"1\"", (name, "9")))
    #expect(events.head?.headers[name] == value)
    #expect(count == 2)
  }

  @Test("a 304 gives no tag to a stored response without one, which may be of an earlier version")
  func tagOfAnotherVersion() async throws {
    let server = ScriptedTransport { transfer in
      let isFirst = transfer.request.headers["If-Modified-Since"] == nil
      var fields: HTTPHeaders = [
        "Last-Modified": "Tue, 15 Nov 1994 12:00:00 GMT", "Cache-Control": "no-cache",
      ]
      if !isFirst { fields["ETag"] = "\"2\"" }
      transfer.respond(isFirst ? 200 : 304, headers: fields, isFirst ? "body" : "")
    }
    let transport = CachingTransport(server, cache: try HTTPCache())
    for _ in 0..<3 {
      let events = await transport.exchange(.init(url: "http://h/a"))
      #expect(events.body == Data("body".utf8))
      #expect(events.head?.headers["ETag"] == nil)
    }
    #expect(server.transfers.map { $0.request.headers["If-None-Match"] } == [nil, nil, nil])
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

  @Test("the length in a response to HEAD says nothing about an encoded body of unknown length")
  func lengthOfEncodedHead() async throws {
    let server = ScriptedTransport { transfer in
      var fields: HTTPHeaders = [
        "ETag": "\"1\"", "Cache-Control": "max-age=60", "Content-Encoding": "gzip",
      ]
      guard transfer.request.method == .head else { return transfer.respond(headers: fields, "body") }
      fields["Content-Length"] = "9"
      transfer.respond(headers: fields)
    }
    let transport = CachingTransport(server, cache: try HTTPCache())
    for (method, directive) in [(HTTPMethod.get, nil), (.head, "no-cache"), (.get, nil)] {
      var request = TransportRequest(method: method, url: "http://h/a")
      request.headers["Cache-Control"] = directive
      #expect(await transport.exchange(request).error == nil)
    }
    #expect(server.transfers.map(\.request.method) == [.get, .head])
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
    // The stored response is delivered with a Date, the time of its arrival.
    let date = try #require(events.head?.headers["Date"])
    #expect(said == nil ? date != "Tue, 15 Nov 1994 12:00:00 GMT" : date == said)
  }

  @Test("a 304 whose transfer fails is that failure, whatever its tag", arguments: ["\"1\"", "\"2\""])
  func failure(tag: String) async throws {
    let (events, count) = try await fetch(fields(), then: fields(tag), ending: .connectionLost(reason: "r"))
    #expect(events.error == .connectionLost(reason: "r"))
    #expect(events.heads == 0)
    #expect(count == 2)
  }

  /// Stores a response, and returns what a second request receives, and how many requests the server received.
  private func stored(
    _ fields: HTTPHeaders, status: Int = 200, asking first: HTTPHeaders = [:], then second: HTTPHeaders,
    _ policy: TransportRequest.CachePolicy = .useProtocol
  ) async throws -> (events: TransferRecorder.Events, count: Int) {
    let server = ScriptedTransport { $0.respond(status, headers: fields, "body") }
    let transport = CachingTransport(server, cache: try HTTPCache())
    #expect(await transport.exchange(.init(url: "http://h/a", headers: first)).error == nil)
    var request = TransportRequest(url: "http://h/a", headers: second)
    request.cachePolicy = policy
    return (await transport.exchange(request), server.transfers.count)
  }

  @Test(
    "a field that Connection names is not stored, unless it restricts the use of the response",
    arguments: [
      (["Connection": "X-Hop", "Cache-Control": "max-age=60"], 1),
      (["Connection": "x-hop ,close", "Cache-Control": "max-age=60"], 1),
      (["Connection": "Cache-Control, X-Hop", "Cache-Control": "max-age=60"], 1),
      (["Connection": "X-Hop, Expires", "Expires": "Thu, 31 Dec 2099 00:00:00 GMT"], 1),
      (["Connection": "X-Hop, Age", "Cache-Control": "max-age=60", "Age": "60"], 2),
      (
        [
          "Connection": "X-Hop, Pragma", "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT",
          "Pragma": "no-cache",
        ], 2
      ),
    ] as [(HTTPHeaders, Int)])
  func namedByConnection(fields: HTTPHeaders, sent: Int) async throws {
    var received = fields
    received["X-Hop"] = "1"
    let (events, count) = try await stored(received, then: [:])
    #expect(count == sent)
    #expect(events.head?.headers["X-Hop"] == (sent == 1 ? nil : "1"))
  }

  @Test(
    "a fresh response serves one range of its bytes",
    arguments: [
      ("bytes=0-1", "bo", "0-1"), ("bytes=1-", "ody", "1-3"), ("bytes=-3", "ody", "1-3"),
      ("BYTES = 3-99", "y", "3-3"), ("bytes=-99", "body", "0-3"),
      ("bytes=2-9223372036854775807", "dy", "2-3"),
    ])
  func range(range: String, part: String, place: String) async throws {
    for policy in [TransportRequest.CachePolicy.useProtocol, .storedOnly] {
      let (events, count) = try await stored(
        [
          "Cache-Control": "max-age=60", "Content-Length": "4", "Content-MD5": "hJ2d",
          "Content-Digest": "sha-256=:hJ2d:",
        ], then: ["Range": range], policy)
      #expect(count == 1)
      #expect(events.head?.headers["Content-MD5"] == nil)
      #expect(events.head?.headers["Content-Digest"] == nil)
      #expect(events.status == 206)
      #expect(events.body == Data(part.utf8))
      #expect(events.head?.headers["Content-Range"] == "bytes \(place)/4")
      #expect(events.head?.headers["Content-Length"] == "\(part.utf8.count)")
    }
  }

  @Test(
    "a stored response with the tag of a condition becomes a 304 with its fields, unless it is a failure",
    arguments: [(200, 304), (404, 404)])
  func conditions(status: Int, received: Int) async throws {
    let fields: HTTPHeaders = [
      "Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Location": "/x", "Content-Language": "de",
    ]
    let (events, count) = try await stored(fields, status: status, then: ["If-None-Match": "\"1\""])
    #expect(count == 1)
    #expect(events.status == received)
    #expect(events.body == Data((received == 304 ? "" : "body").utf8))
    #expect(events.head?.headers["Content-Location"] == "/x")
    #expect(events.head?.headers["Content-Language"] == (received == 304 ? nil : "de"))
  }

  @Test("a condition with a tag of other bytes gets the whole response, even if the two are equal strings")
  func bytesOfTags() async throws {
    let fields: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"\u{E9}\""]
    for (tag, status) in [("\"\u{E9}\"", 304), ("\"e\u{301}\"", 200)] {
      #expect(try await stored(fields, then: ["If-None-Match": tag]).events.status == status)
    }
  }

  @Test(
    "the server responds to other ranges",
    arguments: [
      "bytes=4-", "bytes=2-1", "bytes=0-0,2-2", "bytes=-0", "bytes=-", "bytes", "lines=0-1", "bytes=+0-1",
      "bytes=0--1", "bytes=0-99999999999999999999",
    ])
  func otherRange(range: String) async throws {
    let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
    let (events, count) = try await stored(fresh, then: ["Range": range])
    #expect(events.status == 200)
    #expect(count == 2)
    let refused = try await stored(fresh, then: ["Range": range], .storedOnly)
    #expect(refused.events.error == .notStored(url: "http://h/a"))
    #expect(refused.count == 1)
  }

  @Test(
    "a response that is encoded or not fresh serves no range, and neither does any with If-Range",
    arguments: [
      (["Cache-Control": "max-age=60", "Content-Encoding": "gzip"], [:]),
      (["Cache-Control": "no-cache", "ETag": "\"1\""], [:]),
      (["Cache-Control": "max-age=60"], ["If-Range": "\"1\""]),
      (["Cache-Control": "max-age=60"], ["Cache-Control": "no-cache"]),
    ] as [(HTTPHeaders, HTTPHeaders)])
  func unusableForRange(fields: HTTPHeaders, others: HTTPHeaders) async throws {
    var asked = others
    asked.update(name: "Range", value: "bytes=0-1")
    let (events, count) = try await stored(fields, then: asked)
    #expect(events.status == 200)
    #expect(count == 2)
  }

  @Test("a stored response with another status than 200 serves no range", arguments: [203, 404])
  func rangeOfOtherStatus(status: Int) async throws {
    let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
    let (events, count) = try await stored(fresh, status: status, then: ["Range": "bytes=0-1"])
    #expect(events.status == status)
    #expect(events.body == Data("body".utf8))
    #expect(count == 2)
  }

  @Test("a condition that the stored response meets gets a 304, also with a range")
  func conditionBeforeRange() async throws {
    let fields: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    let (events, count) = try await stored(
      fields, then: ["If-None-Match": "\"1\"", "Range": "bytes=0-1"])
    #expect(count == 1)
    #expect(events.status == 304)
    #expect(events.body.isEmpty)
  }

  @Test(
    "a stale response that may be used while it is revalidated serves a range only if nothing may be sent",
    arguments: [("only-if-cached", 206, 1), (nil, 200, 2)] as [(String?, Int, Int)])
  func staleRange(directive: String?, status: Int, sent: Int) async throws {
    var asked: HTTPHeaders = ["Range": "bytes=0-1"]
    asked["Cache-Control"] = directive
    let (events, count) = try await stored(
      ["Cache-Control": "max-age=0, stale-while-revalidate=6000"], then: asked)
    #expect(events.status == status)
    #expect(count == sent)
  }

  @Test(
    "equivalent fields of content negotiation select the same response",
    arguments: [
      ("Accept-Language", "de, en;q=0.5", "DE,en; q=0.5", true),
      ("Accept-Language", "de, en", "en, de", false), ("Accept", "a/b, c/d", "a/b,c/d", true),
      ("Accept", "a/b;p=User", "a/b;p=USER", false),
      ("Accept-Language", "de", "de, de-AT", false),
      ("Accept-Encoding", "gzip,br", "br,  gzip", true), ("Accept", "a/b;q=0.5", "a/b;q=0.6", false),
      ("Accept-Charset", "utf-8, latin1", "LATIN1,utf-8", true),
      ("Accept", "a/b;c=\"x, y\"", "a/b;c=\"x,y\"", false), ("X-List", "1, 2", "1,2", false),
      ("X-List", "\u{E9}", "e\u{301}", false),
    ])
  func equivalence(name: String, first: String, second: String, isSame: Bool) async throws {
    let (_, count) = try await stored(
      ["Cache-Control": "max-age=60", "Vary": name], asking: [name: first], then: [name: second])
    #expect(count == (isSame ? 1 : 2))
  }

  @Test("a validator comes back as the bytes that the server sent", arguments: [[0xE9], [0xC3, 0xA9]])
  func validatorBytes(bytes: [UInt8]) async throws {
    let tag = Array("ETag: \"".utf8) + bytes + Array("\"\r\n".utf8)
    let heads = try await heads(ofRequestsAfter: tag)
    let condition = Data("If-None-Match: \"".utf8) + bytes + Data("\"\r\n".utf8)
    #expect(heads.count == 2)
    #expect(heads.last.flatMap { Data($0).range(of: condition) } != nil)
  }

  @Test("a validator in two encodings adds no line to the next request")
  func mixedValidator() async throws {
    // U+010D and U+010A end with the bytes of a line break.
    let tags = Array("ETag: \"".utf8) + [0xE9] + Array("\"\r\nETag: \"\u{10D}\u{10A}X-Evil: 1\"\r\n".utf8)
    let heads = try await heads(ofRequestsAfter: tags)
    #expect(heads.count == 2)
    #expect(heads.allSatisfy { Data($0).range(of: Data("\nX-Evil".utf8)) == nil })
  }

  /// Returns the heads of two requests, the first of which gets a response with these lines in its head.
  private func heads(ofRequestsAfter tag: [UInt8]) async throws -> [[UInt8]] {
    let received = Lock<[[UInt8]]>([])
    let server = try RawServer { stream, _ in
      for _ in 0..<2 {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let next = stream.read(1) { head += next }
        received.withLock { $0.append(head) }
        let isFirst = received.withLock { $0.count == 1 }
        let status = isFirst ? "200 OK\r\nContent-Length: 4" : "304 Not Modified"
        let start = Array("HTTP/1.1 \(status)\r\nCache-Control: no-cache\r\n".utf8)
        guard stream.write(start + tag + Array("\r\n\(isFirst ? "body" : "")".utf8)) else { return }
      }
    }
    let transport = CachingTransport(try CurlTransport(), cache: try HTTPCache())
    for _ in 0..<2 {
      #expect(
        await transport.exchange(.init(url: "http://127.0.0.1:\(server.port)/")).body == Data("body".utf8))
    }
    return received.withLock { $0 }
  }
}

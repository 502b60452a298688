import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Stream bodies", .timeLimit(.minutes(5)))
struct BodyStreamTests {
  private let pieces = [Data("first ".utf8), Data(repeating: 7, count: 100_000), Data("last".utf8)]
  private var whole: Data { pieces.reduce(into: Data()) { $0.append($1) } }
  private var length: Int64 { Int64(whole.count) }

  private func post(
    _ server: LoopbackServer, _ body: BodyStream, to path: String = "/", headers: HTTPHeaders = [:],
    idleTimeout: Duration = .seconds(60)
  ) -> TransportRequest {
    .init(
      method: .post, url: server.origin + path, headers: headers, body: .stream(body),
      idleTimeout: idleTimeout)
  }

  @Test("a stream with gaps arrives complete, with or without length", arguments: TransportKind.allCases)
  func gaps(kind: TransportKind) async throws {
    let server = try LoopbackServer { .text("\($0.bodyLength)") }
    let transport = try kind.make()
    for length in [nil, length] {
      let events = await transport.exchange(post(server, .init(pieces: pieces, length: length)))
      #expect(events.error == nil)
      #expect(events.body == Data("\(whole.count)".utf8))
      let isWhole = server.log.requests.last?.body == whole
      #expect(isWhole)
    }
  }

  @Test("a known length is announced, others are sent in chunks; URLSession does not distinguish them")
  func framing() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let transport = try CurlTransport()
    _ = await transport.exchange(post(server, .init(pieces: pieces, length: length)))
    #expect(server.log.requests.last?.headers["Content-Length"] == "\(length)")
    #expect(server.log.requests.last?.headers["Transfer-Encoding"] == nil)
    _ = await transport.exchange(post(server, .init(pieces: pieces)))
    #expect(server.log.requests.last?.headers["Content-Length"] == nil)
    #expect(server.log.requests.last?.headers["Transfer-Encoding"] == "chunked")
    #expect(server.log.requests.last?.headers["Expect"] == nil)
    _ = await transport.exchange(
      post(server, .init(pieces: pieces), headers: ["Content-Length": "\(length)"]))
    #expect(server.log.requests.last?.headers["Content-Length"] == "\(length)")
    #expect(server.log.requests.last?.bodyLength == whole.count)
  }

  @Test("an empty stream is an empty body", arguments: [nil, 0] as [Int64?])
  func empty(length: Int64?) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try CurlTransport()).exchange(post(server, .init(pieces: [], length: length)))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.bodyLength) == [0])
  }

  @Test("the reader of an empty stream is opened once for an attempt", arguments: [true, false])
  func emptyOpening(isRepeatable: Bool) throws {
    let openings = Lock(0)
    let body = BodyStream(length: 0, isRepeatable: isRepeatable) { onBytesAvailable in
      openings.withLock { $0 += 1 }
      return PiecewiseReader([], gaps: false, onBytesAvailable: onBytesAvailable)
    }
    var reader = try TransportRequest(method: .put, url: "http://h/", body: .stream(body)).bodyReader {}
    var byte: [UInt8] = [0]
    let count = try byte.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(count == 0)
    #expect(openings.withLock { $0 } == 1)
  }

  @Test("a stream equals only itself, and so does a request with it")
  func identity() {
    let streams = (0..<2).map { _ in BodyStream(pieces: [], length: 1) }
    #expect(streams[0] != streams[1])
    #expect(Set(streams).count == 2)
    let requests = streams.map { TransportRequest(url: "http://h/", body: .stream($0)) }
    #expect(requests[0] != requests[1])
    #expect(requests[0] == TransportRequest(url: "http://h/", body: .stream(streams[0])))
  }

  @Test(
    "a stream shorter or longer than announced is an error, and the server receives no complete request",
    arguments: [-1, 1], [true, false])
  func wrongLength(difference: Int64, gaps: Bool) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let transport = try CurlTransport()
    let announced = length - difference
    let error = TransferError.wrongBodyLength(
      announced: announced, actual: difference < 0 ? length : announced + 1)
    let events = await transport.exchange(
      post(server, .init(pieces: pieces, length: announced, gaps: gaps)))
    guard case .wrongBodyLength(announced, let actual)? = events.error else {
      Issue.record("\(String(describing: events.error)) instead of \(error)")
      return
    }
    #expect(difference < 0 ? actual == length : actual > announced)
    let field = await transport.exchange(
      post(server, .init(pieces: pieces, gaps: gaps), headers: ["Content-Length": "\(announced)"]))
    #expect(field.error == events.error)
    #expect(server.log.requestCount == 0)
  }

  @Test("bytes beyond the announced length are detected, also if they arrive late", arguments: [0, 5])
  func lateSurplus(announced: Int64) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let body = BodyStream(
      pieces: [Data("12345".prefix(Int(announced)).utf8), Data("6".utf8)].filter { !$0.isEmpty },
      length: announced)
    let events = await (try CurlTransport()).exchange(post(server, body))
    #expect(events.error == .wrongBodyLength(announced: announced, actual: announced + 1))
    #expect(server.log.requestCount == 0)
  }

  @Test("a Content-Length that contradicts the stream's, or is not a number, is rejected at once")
  func contradiction() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let transport = try CurlTransport()
    for value in ["3", "+5", "5, 5", "x", "-1"] {
      let events = await transport.exchange(
        post(server, .init(pieces: [Data("12345".utf8)], length: 5), headers: ["Content-Length": value]))
      #expect(events.error == .invalidField(name: "Content-Length", value: value))
    }
    let negative = await transport.exchange(post(server, .init(pieces: [], length: -5)))
    #expect(negative.error == .cannotReadBody(reason: "its announced length is -5"))
    #expect(server.log.connectionsAccepted == 0)
  }

  @Test(
    "a stream that fails to open or to read ends the transfer with its error",
    arguments: TransportKind.allCases)
  func failure(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let transport = try kind.make()
    let midway = await transport.exchange(post(server, .init(pieces: pieces, fails: true)))
    #expect(midway.error == .cannotReadBody(reason: "Failure()"))
    let unopened = await transport.exchange(post(server, BodyStream { _ in throw PiecewiseReader.Failure() }))
    #expect(unopened.error == .cannotReadBody(reason: "Failure()"))
    // A reader may choose the error.
    final class OwnErrorReader: BodyReader {
      func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        throw TransferError.cannotReadFile(path: "p", reason: "r")
      }
    }
    let own = await transport.exchange(post(server, BodyStream { _ in OwnErrorReader() }))
    #expect(own.error == .cannotReadFile(path: "p", reason: "r"))
    #expect(server.log.requestCount == 0)
  }

  @Test("a reader that claims more bytes than the buffer holds causes an error")
  func absurdReader() async throws {
    final class OverreportingReader: BodyReader {
      func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? { buffer.count + 1 }
    }
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try CurlTransport()).exchange(post(server, BodyStream { _ in OverreportingReader() }))
    guard case .cannotReadBody? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("a reader that claims a negative number of bytes causes an error, although it ends afterwards")
  func negativeReader() async throws {
    final class NegativeReader: BodyReader {
      private var hasClaimed = false
      func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        defer { hasClaimed = true }
        return hasClaimed ? 0 : -1
      }
    }
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try CurlTransport()).exchange(post(server, BodyStream { _ in NegativeReader() }))
    guard case .cannotReadBody? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(server.log.requestCount == 0)
  }

  @Test("307 reopens the stream, and 303 drops it", arguments: TransportKind.allCases)
  func redirects(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("end") }
    server.route("/again") { _ in .redirect(to: "/end", status: 307) }
    server.route("/get") { _ in .redirect(to: "/end", status: 303) }
    let transport = try kind.make()
    let again = await transport.exchange(post(server, .init(pieces: pieces), to: "/again"))
    #expect(again.error == nil)
    #expect(server.log.requests.map(\.method) == ["POST", "POST"])
    let isWhole = server.log.requests.allSatisfy { $0.body == whole }
    #expect(isWhole)
    let get = await transport.exchange(post(server, .init(pieces: pieces, isRepeatable: false), to: "/get"))
    #expect(get.error == nil)
    #expect(server.log.requests.last?.method == "GET")
    #expect(server.log.requests.last?.bodyLength == 0)
  }

  @Test("a stream that can be read only once is sent again only if none of it has been read")
  func sentAgain() throws {
    let body = BodyStream(pieces: pieces, isRepeatable: false)
    let available = DispatchSemaphore(value: 0)
    var reader = try TransportRequest(method: .put, url: "http://h/", body: .stream(body)).bodyReader {
      available.signal()
    }
    var byte: [UInt8] = [0]
    while try byte.withUnsafeMutableBytes({ try reader.read(into: $0) }) == nil {
      // It has been opened at most.
      try reader.seek(to: 0)
      #expect(available.wait(timeout: .now() + 60) == .success)
    }
    #expect(throws: TransferError.cannotRepeatBody(url: "http://h/")) { try reader.seek(to: 0) }
  }

  @Test("a stream that can be read only once is not sent again in part", arguments: TransportKind.allCases)
  func onlyOnce(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .redirect(to: "/end", status: 307) }
    let body = BodyStream(pieces: pieces, isRepeatable: false)
    let transport = try kind.make()
    let events = await transport.exchange(post(server, body))
    #expect(events.error == .cannotRepeatBody(url: "\(server.origin)/end"))
    #expect(server.log.requestCount == 1)
    let second = await transport.exchange(post(server, body))
    #expect(second.error == .cannotRepeatBody(url: "\(server.origin)/"))
    #expect(server.log.requestCount == 1)
  }

  @Test("if a reused connection breaks and the request is retried, the stream is read from its beginning")
  func resend() async throws {
    let server = try LoopbackServer { $0.indexOnConnection == 1 ? .close : .text("ok") }
    let transport = try CurlTransport()
    let request = TransportRequest(
      method: .put, url: server.origin, body: .stream(.init(pieces: pieces, length: length)))
    for _ in 0..<2 { #expect(await transport.exchange(request).error == nil) }
    #expect(server.log.requestCount == 3)
    let isWhole = server.log.requests.allSatisfy { $0.body == whole }
    #expect(isWhole)
  }

  @Test("progress rises to the length, which is reported if it is known")
  func progress() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    var request = post(server, .init(pieces: pieces, length: length))
    request.reportsProgress = true
    let events = await (try CurlTransport()).exchange(request)
    #expect(events.sent.last == length)
    #expect(events.sent == events.sent.sorted())
  }

  @Test("progress of a stream that is sent in chunks does not count their framing")
  func progressInChunks() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    var request = post(server, .init(pieces: pieces))
    request.reportsProgress = true
    let events = await (try CurlTransport()).exchange(request)
    #expect(events.error == nil)
    #expect(events.sent.last == length)
  }

  @Test(
    "a lasting gap counts as idle, and a cancellation during a gap releases the reader",
    arguments: [true, false])
  func endlessGap(isCancelled: Bool) async throws {
    final class TrackedObject: Sendable {
      let released: AsyncStream<Void>.Continuation
      init(_ released: AsyncStream<Void>.Continuation) { self.released = released }
      deinit { released.yield() }
    }
    final class StalledReader: BodyReader {
      let trackedObject: TrackedObject
      let asked: AsyncStream<Void>.Continuation
      init(_ trackedObject: TrackedObject, _ asked: AsyncStream<Void>.Continuation) {
        (self.trackedObject, self.asked) = (trackedObject, asked)
      }
      func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        asked.yield()
        return nil
      }
    }
    let (releases, released) = AsyncStream.makeStream(of: Void.self)
    let (gaps, asked) = AsyncStream.makeStream(of: Void.self)
    var kept: TrackedObject? = TrackedObject(released)
    let server = try LoopbackServer { _ in .status(200) }
    let transport = try CurlTransport()
    let body = BodyStream(isRepeatable: false) { [held = Lock(kept)] _ in
      guard let trackedObject = held.withLock({ $0.take() }) else { throw PiecewiseReader.Failure() }
      return StalledReader(trackedObject, asked)
    }
    kept = nil
    let (transfer, recorder) = transport.record(
      post(server, body, idleTimeout: isCancelled ? .seconds(60) : .milliseconds(50)))
    if isCancelled {
      try await server.log(until: { $0.bytesReceived > 0 })
      // The head may arrive before the reader is opened, and without a reader there is none to release.
      #expect(await gaps.first { _ in true } != nil)
      transfer.cancel()
    }
    let events = await recorder.waitForEnd()
    #expect(events.error?.withoutProof == (isCancelled ? .cancelled : .timedOut(after: .milliseconds(50))))
    // On a background thread, which the reader may block.
    #expect(await releases.first { _ in true } != nil)
    try await server.log(until: { $0.openConnections == 0 })
  }
}

import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Responses that are complete before the body has been sent", .timeLimit(.minutes(5)))
struct EarlyResponseTests {
  private let body = Data(repeating: UInt8(ascii: "x"), count: 20 << 20)

  private func request(_ url: String) -> TransportRequest {
    TransportRequest(method: .post, url: url, body: .data(body))
  }

  /// Returns a server that responds once the head of the request has arrived and the test allows it, and then
  /// neither reads nor closes until the test allows that.
  private func nonReadingServer(
    length: Int = 4, from mayRespond: DispatchSemaphore? = nil, until isOver: DispatchSemaphore
  ) throws -> RawServer {
    try RawServer { stream, _ in
      _ = stream.read(until: "\r\n\r\n")
      mayRespond?.wait()
      stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\ndone".utf8))
      isOver.wait()
    }
  }

  @Test("a response succeeds even if the server stops reading the body")
  func deaf() async throws {
    let isOver = DispatchSemaphore(value: 0)
    defer { isOver.signal() }
    let server = try nonReadingServer(until: isOver)
    let events = await (try CurlTransport()).exchange(request("http://127.0.0.1:\(server.port)"))
    #expect(events.error == nil)
    #expect(events.body == Data("done".utf8))
  }

  @Test("a response that has not been delivered is lost if the connection breaks")
  func paused() async throws {
    let (isPaused, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try nonReadingServer(from: isPaused, until: isOver)
    let transport = try CurlTransport()
    let (token, recorder) = transport.record(request("http://127.0.0.1:\(server.port)"))
    try #require(token as? any Transfer).pause()
    isPaused.signal()
    await recorder.waitUntil { $0.heads == 1 }
    isOver.signal()
    let events = await recorder.waitForEnd()
    #expect(events.error != nil)
    #expect(events.body.isEmpty)
  }

  @Test("an incomplete response waits for the rest as long as any other")
  func unfinished() async throws {
    let isOver = DispatchSemaphore(value: 0)
    defer { isOver.signal() }
    let server = try nonReadingServer(length: 5, until: isOver)
    var request = request("http://127.0.0.1:\(server.port)")
    request.idleTimeout = TestTimeouts.idle
    let events = await (try CurlTransport()).exchange(request)
    #expect(events.error == .timedOut(.idle, after: TestTimeouts.idle))
    #expect(events.body == Data("done".utf8))
  }

  @Test("a server that has responded and reads the body slowly receives all of it")
  func slow() async throws {
    let (received, source) = AsyncStream.makeStream(of: Int.self)
    let server = try RawServer(unread: 4_096) { stream, _ in
      _ = stream.read(until: "\r\n\r\n")
      stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone".utf8))
      // The reads are so small that the socket accepts no data for longer than a transfer waits.
      var count = 0
      for _ in 0..<15 {
        Thread.sleep(forTimeInterval: 0.4)
        count += stream.readAvailable(upTo: 2_000) ?? 0
      }
      stream.limitReceiveBuffer(to: 1 << 20)
      while count < 20 << 20, let taken = stream.readAvailable(upTo: 1 << 20) { count += taken }
      source.yield(count)
    }
    let events = await (try CurlTransport()).exchange(request("http://127.0.0.1:\(server.port)"))
    #expect(events.error == nil)
    #expect(await received.first { _ in true } == 20 << 20)
  }

  @Test("a body with a late piece is sent completely, because the delay is not the server's")
  func late() async throws {
    let (received, source) = AsyncStream.makeStream(of: String.self)
    let server = try RawServer { stream, _ in
      _ = stream.read(until: "begin")
      stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone".utf8))
      source.yield(stream.read(until: "end"))
    }
    var request = request("http://127.0.0.1:\(server.port)")
    request.body = .stream(
      BodyStream(length: 8) { more in
        DelayedReader(["begin", nil, "end", ""]) {
          DispatchQueue.global().asyncAfter(deadline: .now() + 5, execute: more)
        }
      })
    let events = await (try CurlTransport()).exchange(request)
    #expect(events.error == nil)
    #expect(await received.first { _ in true } == "end")
  }

  @Test("a body that continues after the end of its transfer changes nothing", arguments: [true, false])
  func lateBody(responds: Bool) async throws {
    let (mayEnd, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try RawServer { stream, _ in
      _ = stream.read(until: "begin")
      mayEnd.wait()
      if responds { stream.write(Array("HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\nwho?".utf8)) }
      shutdown(stream.descriptor, CInt(SHUT_RDWR))
      hasEnded.signal()
    }
    let (waits, source) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    let body = BodyStream(length: 8) { more in
      DelayedReader(["begin", nil, "end", ""]) { source.yield(more) }
    }
    let transport = try CurlTransport()
    let (_, recorder) = transport.record(
      .init(method: .post, url: "http://127.0.0.1:\(server.port)", body: .stream(body)))
    let resume = try #require(await waits.first { _ in true })
    // While this handler keeps the loop, the transfer ends and its body gets the rest.
    let other = try LoopbackServer { _ in .text("other") }
    let transfer = transport.start(TransportRequest(url: other.origin).deliveredOnLoop) { event in
      guard case .head = event else { return }
      mayEnd.signal()
      hasEnded.wait()
      resume()
    }
    let events = await recorder.waitForEnd()
    if responds {
      #expect(events.error == nil)
      #expect(events.head?.statusCode == 401)
      #expect(events.body == Data("who?".utf8))
    } else {
      guard case .connectionLost = events.error else {
        Issue.record("\(String(describing: events.error))")
        return
      }
    }
    withExtendedLifetime(transfer) {}
  }

  @Test("an early response succeeds over HTTP/2 too", arguments: [200, 204])
  func overHTTP2(status: Int) async throws {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    options.http2?.respondsBeforeBody = true
    let server = try LoopbackServer(tls: .generated, options: options) { request in
      status == 204 ? .status(204) : .text(request.bodyLength == 0 ? "done" : "late")
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let events = await (try CurlTransport(configuration: configuration)).exchange(request(server.origin))
    #expect(events.error == nil)
    #expect(events.head?.httpVersion == .http2)
    #expect(events.body == Data((status == 204 ? "" : "done").utf8))
  }

  @Test(
    "over HTTP/2, a response that ends while the body waits ends the transfer once the body has been sent",
    arguments: [1] + Array(repeating: 3, count: 12))
  func held(count: Int) async throws {
    let (mayRespond, mayReceive) = (LoopbackServer.Gate(), LoopbackServer.Gate())
    var options = LoopbackServer.Options()
    options.http2 = .init()
    options.http2?.respondsBeforeBody = true
    options.http2?.windowGate = mayReceive
    // With a length, libcurl (7.88) would not see the window open, and stop after
    // `CurlTransport.earlyResponseLimit`.
    let server = try LoopbackServer(tls: .generated, options: options) { _ in
      .text("done").chunked().held(until: mayRespond)
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let transport = try CurlTransport(configuration: configuration)
    let part = body.prefix(70_000 / count)
    let recorders = (0..<count).map { _ in
      transport.record(.init(method: .post, url: server.origin, body: .data(part))).recorder
    }
    // The rest of the bodies waits for the connection's window.
    let held = try await server.log(until: { $0.bytesReceived > 65_535 })
    #expect(held.bytesReceived < 70_000 - count)
    #expect(held.connectionsAccepted == 1)
    mayRespond.open()
    for recorder in recorders { await recorder.waitUntil { $0.heads == 1 } }
    #expect(server.log.bytesReceived < 70_000 - count)
    mayReceive.open()
    for recorder in recorders {
      let events = await recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("done".utf8))
    }
    try await server.log(timeout: .seconds(10), until: { $0.bytesReceived > 70_000 - count })
  }
}

/// Provides texts, and then an empty one; `nil` stands for missing data, which the reader reports.
private final class DelayedReader: BodyReader {
  private var pieces: ArraySlice<String?>
  private let isEmpty: () -> Void

  init(_ pieces: [String?], isEmpty: @escaping () -> Void) {
    self.pieces = pieces[...]
    self.isEmpty = isEmpty
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let piece = pieces.popFirst() ?? "" else {
      isEmpty()
      return nil
    }
    buffer.copyBytes(from: piece.utf8)
    return piece.utf8.count
  }
}

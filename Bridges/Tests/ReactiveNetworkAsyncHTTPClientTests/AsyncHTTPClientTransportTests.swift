import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetworkAsyncHTTPClient
import Testing

@Suite("What the contract leaves to the transport over AsyncHTTPClient", .timeLimit(.minutes(5)))
struct AsyncHTTPClientTransportTests {
  private struct Exchange {
    var head: ResponseHead?
    var body = Data()
    var sent: [Int64] = []
    var error: TransferError?
  }

  /// "hello hello hello", compressed with gzip.
  private static let gzip: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 87, 200, 64, 144, 0, 128, 136, 249, 229, 17, 0,
    0, 0,
  ]

  /// Sends a request, and returns its events.
  private func exchange(_ request: TransportRequest) async -> Exchange {
    let (events, continuation) = AsyncStream.makeStream(of: TransferEvent.self)
    let transport = AsyncHTTPClientTransport()
    _ = transport.start(request) { event in
      continuation.yield(event)
      if case .finished = event { continuation.finish() }
    }
    var exchange = Exchange()
    for await event in events {
      switch event {
      case .sent(let count, _): exchange.sent.append(count)
      case .head(let head): exchange.head = head
      case .body(let piece): exchange.body += piece
      case .metrics: break
      case .finished(let error): exchange.error = error
      }
    }
    withExtendedLifetime(transport) {}
    return exchange
  }

  @Test("the server sees a cancel while the handler blocks", arguments: ["/text", "/endless"])
  func cancelDuringHandler(path: String) async throws {
    let server = try LoopbackServer()
    let never = LoopbackServer.Gate()
    server.route("/text") { _ in .text("late").bodyHeld(until: never) }
    server.route("/endless") { _ in .repeating(7, count: 1 << 40) }
    let transport = AsyncHTTPClientTransport()
    let (isHandling, handling) = AsyncStream.makeStream(of: Void.self)
    let (isOver, over) = AsyncStream.makeStream(of: TransferError?.self)
    let end = DispatchSemaphore(value: 0)
    let transfer = transport.start(TransportRequest(url: server.origin + path)) { event in
      if case .finished(let error) = event { return _ = over.yield(error) }
      handling.yield()
      end.wait()
    }
    await isHandling.first { _ in true }
    transfer.cancel()
    try await server.log { $0.abandoned.count == 1 }
    end.signal()
    #expect(await isOver.first { _ in true } == .cancelled)
  }

  @Test(
    "a compressed body arrives decoded; a redirect need not be decodable, and a response without a body may announce one"
  )
  func compressed() async throws {
    let server = try LoopbackServer()
    server.route("/a") { _ in .bytes(Self.gzip).header("Content-Encoding", "gzip") }
    server.route("/304") { _ in .status(304).header("Content-Encoding", "gzip") }
    server.route("/away") { _ in
      .text("garbage", status: 302).header("Location", "/a").header("Content-Encoding", "gzip")
    }
    server.route("/nowhere") { _ in
      .text("garbage", status: 302).header("Location", "").header("Content-Encoding", "gzip")
    }
    server.route("/cut") { _ in .bytes(Self.gzip.dropLast(10)).header("Content-Encoding", "gzip") }
    let get = await exchange(TransportRequest(url: "\(server.origin)/a"))
    #expect(get.error == nil)
    #expect(String(decoding: get.body, as: UTF8.self) == "hello hello hello")
    let head = await exchange(TransportRequest(method: .head, url: "\(server.origin)/a"))
    #expect(head.error == nil)
    #expect(head.head?.headers["Content-Encoding"] == "gzip")
    let unchanged = await exchange(TransportRequest(url: "\(server.origin)/304"))
    #expect(unchanged.error == nil)
    #expect(unchanged.head?.statusCode == 304)
    let redirected = await exchange(TransportRequest(url: "\(server.origin)/away"))
    #expect(redirected.error == nil)
    #expect(redirected.body == get.body)
    let unnamed = await exchange(TransportRequest(url: "\(server.origin)/nowhere"))
    #expect(unnamed.error != nil)
    let cut = await exchange(TransportRequest(url: "\(server.origin)/cut"))
    if case .truncatedBody? = cut.error {} else { Issue.record("\(String(describing: cut.error))") }
  }

  @Test("the limit holds for the decoded body")
  func decodedLimit() async throws {
    let server = try LoopbackServer { _ in .bytes(Self.gzip).chunked().header("Content-Encoding", "gzip") }
    let result = await exchange(TransportRequest(url: server.origin, responseBodyLimit: 16))
    #expect(result.error == .responseTooLarge(limit: 16))
  }

  @Test("several fields of one name stay apart")
  func repeatedFields() async throws {
    let server = try LoopbackServer { _ in
      .status(200).header("Set-Cookie", "a=b; Path=/").header("Set-Cookie", "c=d")
    }
    let result = await exchange(TransportRequest(url: server.origin))
    #expect(result.head?.httpVersion == .http1_1)
    #expect(
      result.head?.headers.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=b; Path=/", "c=d"])
  }

  @Test("a stream is read again after a 307, and its progress does not decrease")
  func repeatedStream() async throws {
    let server = try LoopbackServer()
    server.route("/a") { _ in .redirect(to: "/b", status: 307) }
    server.route("/b") { .text("\($0.bodyLength)") }
    let stream = BodyStream(length: 200_000) { _ in Zeros(count: 200_000) }
    let result = await exchange(
      TransportRequest(method: .put, url: "\(server.origin)/a", body: .stream(stream), reportsProgress: true))
    #expect(result.error == nil)
    #expect(String(decoding: result.body, as: UTF8.self) == "200000")
    #expect(result.sent == result.sent.sorted() && result.sent.last == 200_000)
  }

  @Test("a stream that can be read only once is not sent again")
  func unrepeatableStream() async throws {
    let server = try LoopbackServer { _ in .redirect(to: "/b", status: 307) }
    let stream = BodyStream(length: 10, isRepeatable: false) { _ in Zeros(count: 10) }
    let url = "\(server.origin)/a"
    let result = await exchange(TransportRequest(method: .put, url: url, body: .stream(stream)))
    #expect(result.error == .cannotRepeatBody(url: "\(server.origin)/b"))
  }

  @Test("failures have the errors of the other transports")
  func errors() async throws {
    let server = try LoopbackServer()
    server.route("/close") { _ in .close }
    server.route("/reset") { _ in .reset }
    server.route("/short") { _ in .text("short").contentLength(9) }
    server.route("/garbage") { _ in .raw("garbage without any meaning\r\n\r\n".utf8) }
    func error(_ path: String) async -> TransferError? {
      await exchange(TransportRequest(url: server.origin + path)).error
    }
    for path in ["/close", "/reset"] {
      let found = await error(path)
      if case .connectionLost? = found {} else { Issue.record("\(path): \(String(describing: found))") }
    }
    let short = await error("/short")
    if case .truncatedBody? = short {} else { Issue.record("\(String(describing: short))") }
    let garbage = await error("/garbage")
    if case .badServerResponse? = garbage {} else { Issue.record("\(String(describing: garbage))") }
    server.stop()
    let refused = await error("/")
    if case .cannotConnect? = refused {} else { Issue.record("\(String(describing: refused))") }
  }

  @Test("a credential that cannot be sent ends the transfer, and nothing is sent")
  func credentials() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    var request = TransportRequest(url: server.origin)
    request.credential = .bearer(token: "a\r\nX-Forged: b")
    #expect(
      await exchange(request).error
        == .invalidField(name: "Authorization", value: "a\r\nX-Forged: b"))
    request.credential = .digest(user: "ash", password: "secret")
    if case .other? = await exchange(request).error {} else { Issue.record("Digest was accepted") }
    #expect(server.log.requestCount == 0)
  }
}

/// A body of zeros.
private final class Zeros: BodyReader {
  private var rest: Int

  init(count: Int) {
    rest = count
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let count = min(rest, buffer.count)
    for index in 0..<count { buffer[index] = 0 }
    rest -= count
    return count
  }
}

import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("InputStream bodies", .timeLimit(.minutes(5)))
struct InputStreamBodyTests {
  /// A stream that has no data at first and after each piece: it then reports this, and reads 0 bytes.
  final class StreamWithGaps: InputStream {
    private var pieces: [Data]
    private let gaps: Int
    private var gap: Int
    private var status = Stream.Status.notOpen

    init(_ pieces: [Data], gaps: Int = 3) {
      self.pieces = pieces
      self.gaps = gaps
      gap = gaps
      super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { gap == 0 && !pieces.isEmpty }
    override func open() { status = .open }
    override func close() { status = .closed }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
      guard let piece = pieces.first else {
        status = .atEnd
        return 0
      }
      guard gap == 0 else {
        gap -= 1
        return 0
      }
      gap = gaps
      pieces.removeFirst()
      piece.copyBytes(to: buffer, count: min(length, piece.count))
      return piece.count
    }
  }

  @Test("the bytes of a stream arrive complete", arguments: TransportKind.allCases, [0, 1, 200_000])
  func plain(kind: TransportKind, count: Int) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let data = Data(Data.megabyte.prefix(count))
    let events = await (try kind.make()).exchange(
      .init(method: .post, url: server.origin, body: .stream(BodyStream(InputStream(data: data)))))
    #expect(events.error == nil)
    let isWhole = server.log.requests.map(\.body) == [data]
    #expect(isWhole)
  }

  @Test("a stream that temporarily has no data arrives complete", arguments: TransportKind.allCases)
  func gaps(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let stream = StreamWithGaps([Data("one ".utf8), Data("two ".utf8), Data("three".utf8)])
    let events = await (try kind.make()).exchange(
      .init(method: .post, url: server.origin, body: .stream(BodyStream(stream))))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.text) == ["one two three"])
  }

  @Test("the gaps of a stream of unknown length may last for more than a second altogether")
  func severalGaps() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let stream = StreamWithGaps([Data("one ".utf8), Data("two ".utf8), Data("three".utf8)], gaps: 40)
    let events = await (try CurlTransport()).exchange(
      .init(method: .post, url: server.origin, body: .stream(BodyStream(stream))))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.text) == ["one two three"])
  }

  @Test("a stream of known length may have no data for any time")
  func longGap() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let body = BodyStream(StreamWithGaps([Data("late".utf8)], gaps: 120), length: 4)
    let events = await (try CurlTransport()).exchange(
      .init(method: .post, url: server.origin, body: .stream(body)))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.text) == ["late"])
  }

  /// Remains open after its last byte, and then reads 0 bytes.
  private final class StreamLeftOpen: InputStream {
    private var bytes: Data

    init(_ bytes: Data) {
      self.bytes = bytes
      super.init(data: Data())
    }

    override var streamStatus: Stream.Status { .open }
    override var hasBytesAvailable: Bool { !bytes.isEmpty }
    override func open() {}
    override func close() {}

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
      let count = min(length, bytes.count)
      bytes.copyBytes(to: buffer, count: count)
      bytes.removeFirst(count)
      return count
    }
  }

  @Test("a stream that remains open after its last byte ends", arguments: [nil, 5] as [Int64?])
  func leftOpen(length: Int64?) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let body = BodyStream(StreamLeftOpen(Data("whole".utf8)), length: length)
    let events = await (try CurlTransport()).exchange(
      .init(method: .post, url: server.origin, body: .stream(body)))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.text) == ["whole"])
  }

  @Test("a stream for a missing file is an error", arguments: TransportKind.allCases)
  func missing(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let stream = try #require(InputStream(fileAtPath: "/no/such/file"))
    let events = await (try kind.make()).exchange(
      .init(method: .post, url: server.origin, body: .stream(BodyStream(stream))))
    guard case .cannotReadBody? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(server.log.requestCount == 0)
  }

  /// Claims to have read more than the buffer holds.
  private final class OverreportingStream: InputStream {
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int { length + 1 }
  }

  @Test("a stream that claims to have read more than requested is an error")
  func tooMuch() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let stream = OverreportingStream(data: Data("x".utf8))
    let events = await (try CurlTransport()).exchange(
      .init(method: .post, url: server.origin, body: .stream(BodyStream(stream))))
    guard case .cannotReadBody? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  /// Yields when it is closed; the sequence ends if the stream is released without being closed.
  private final class CloseObservingStream: InputStream {
    private let closed: AsyncStream<Void>.Continuation

    init(_ data: Data, _ closed: AsyncStream<Void>.Continuation) {
      self.closed = closed
      super.init(data: data)
    }

    deinit { closed.finish() }

    override func close() {
      super.close()
      closed.yield()
    }
  }

  @Test("a stream is closed once its body has been sent")
  func closed() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let (closings, closed) = AsyncStream.makeStream(of: Void.self)
    let events = await (try CurlTransport()).exchange(
      .init(
        method: .post, url: server.origin,
        body: .stream(BodyStream(CloseObservingStream(Data("streamed".utf8), closed)))))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.text) == ["streamed"])
    #expect(await closings.first { _ in true } != nil)
  }

  @Test(
    "a stream that has been sent is not sent again through another body", arguments: TransportKind.allCases)
  func secondBody(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(503) }
    let stream = InputStream(data: Data("streamed".utf8))
    let transport = try kind.make()
    var errors: [TransferError?] = []
    for body in [BodyStream(stream), BodyStream(stream, length: 8)] {
      errors.append(
        await transport.exchange(.init(method: .put, url: server.origin, body: .stream(body))).error)
    }
    #expect(errors == [nil, .cannotRepeatBody(url: server.origin)])
    #expect(server.log.requests.map(\.text) == ["streamed"])
  }

  @Test("a stream that a body is reading is not read by another body")
  func simultaneousBodies() throws {
    let stream = InputStream(data: Data("streamed".utf8))
    let (first, second) = (BodyStream(stream), BodyStream(stream))
    let reader = try #require(try first.open(first.prepare()) {})
    #expect(try second.open(second.prepare()) {} == nil)
    withExtendedLifetime(reader) {}
  }

  @Test("a provider sends the httpBodyStream of a request")
  func provider() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let provider = NetworkProvider<LoopbackTarget>(
      requestClosure: { endpoint, done in
        do {
          var request = try endpoint.urlRequest()
          request.httpBodyStream = InputStream(data: Data("streamed".utf8))
          done(.success(request))
        } catch {
          Issue.record(error)
        }
      }, transport: try CurlTransport())
    _ = try await provider.result(LoopbackTarget(server).with { $0.method = .post }).get()
    #expect(server.log.requests.map(\.text) == ["streamed"])
  }
}

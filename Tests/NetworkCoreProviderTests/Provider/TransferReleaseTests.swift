import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// A request's transfer, callbacks and file are released at its end, whatever its result.
///
/// These tests use no sockets, so that the leak sanitizer can run them.
@Suite("Release of a request's objects", .timeLimit(.minutes(5)))
struct TransferReleaseTests {
  /// The kind of the request, or the destination of its response.
  enum RequestKind: CaseIterable, Sendable {
    case memory, upload, destination, resumable, receiver, sequence
  }

  /// The scenario of the transfer.
  enum TransferScenario: CaseIterable, Sendable {
    case whole, refused, longRefusal, unaskedRange, wrongType, short, lost, tooEarly, headless, dropped,
      droppedRefusal
    case cancelled, cancelledWithHead, cancelledMidway, cancelledRefusal

    func run(_ transfer: TransferCountingTransport.Transfer, cancel: () -> Void) {
      switch self {
      case .whole: transfer.send(Self.head(200), Self.body, .finished(nil))
      case .refused: transfer.send(Self.head(404), Self.body, .finished(nil))
      case .longRefusal: transfer.send(Self.head(503), .body(Data(count: 2 << 20)), .finished(nil))
      case .unaskedRange:
        transfer.send(
          Self.head(206, ["Content-Type": "x/y", "Content-Range": "bytes 2-3/4"]), Self.body, .finished(nil))
      case .wrongType: transfer.send(Self.head(200, ["Content-Type": "a/b"]), Self.body, .finished(nil))
      case .short:
        transfer.send(
          Self.head(200, ["Content-Type": "x/y", "Content-Length": "9"]), Self.body, .finished(nil))
      case .lost: transfer.send(Self.head(200), Self.body, .finished(.connectionLost(reason: "r")))
      case .tooEarly: transfer.send(.finished(.cannotFindHost("h")))
      case .headless: transfer.send(.finished(nil))
      case .dropped:
        transfer.send(Self.head(200), Self.body)
        transfer.releaseHandler()
      case .droppedRefusal:
        transfer.send(Self.head(404), Self.body)
        transfer.releaseHandler()
      case .cancelled: cancel()
      case .cancelledWithHead:
        transfer.send(Self.head(200))
        cancel()
      case .cancelledMidway:
        transfer.send(Self.head(200), .body(Data(count: 1 << 20)))
        cancel()
      case .cancelledRefusal:
        transfer.send(Self.head(404), Self.body)
        cancel()
      }
    }

    private static let body = TransferEvent.body(Data("body".utf8))

    private static func head(_ status: Int, _ headers: HTTPHeaders = ["Content-Type": "x/y"]) -> TransferEvent
    {
      .head(ResponseHead(statusCode: status, url: "http://h", headers: headers))
    }
  }

  /// An object that the closures of a request retain.
  private final class TrackedObject: Sendable {}

  private final class EmptyBodyReader: BodyReader {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? { 0 }
  }

  private static func target(_ kind: RequestKind, _ file: URL, _ held: TrackedObject) -> LoopbackTarget {
    LoopbackTarget(URL(staticString: "http://h")).with {
      $0.acceptableContentTypes = ["x/y"]
      switch kind {
      case .memory, .receiver, .sequence: break
      case .upload:
        $0.method = .put
        $0.task = .uploadStream(BodyStream { _ in withExtendedLifetime(held) { EmptyBodyReader() } })
      case .destination: $0.task = .downloadDestination { _, _ in withExtendedLifetime(held) { (file, []) } }
      case .resumable: $0.task = .downloadResumable(to: file)
      }
    }
  }

  /// Starts a request, runs its transfer, and waits for its end.
  private static func request(
    _ kind: RequestKind, _ scenario: TransferScenario, _ file: URL, over transport: TransferCountingTransport,
    _ held: TrackedObject
  ) async throws -> WeakReference {
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let target = target(kind, file, held)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let token: any Cancellable
    var stream: ResponseStream?
    switch kind {
    case .receiver:
      token = provider.stream(target) { event in
        withExtendedLifetime(held) { if case .finished = event { end.finish() } }
      }
    case .sequence:
      let started = provider.stream(target)
      stream = started
      token = CancellableToken { started.cancel() }
    default:
      token = provider.request(target, progress: { _ in withExtendedLifetime(held) {} }) { _ in
        withExtendedLifetime(held) { end.finish() }
      }
    }
    await suspendUntil { !transport.transfers.isEmpty }
    scenario.run(try #require(transport.transfers.first)) { token.cancel() }
    if let stream {
      do { for try await _ in stream {} } catch { #expect(scenario != .whole) }
    } else {
      for await _ in ends {}
    }
    return WeakReference(object: stream == nil ? token as AnyObject : nil)
  }

  private struct WeakReference {
    weak var object: AnyObject?
  }

  @Test(
    "all objects are released after a request has ended", arguments: RequestKind.allCases,
    TransferScenario.allCases)
  func released(kind: RequestKind, scenario: TransferScenario) async throws {
    let folder = try TemporaryFolder()
    let transport = TransferCountingTransport()
    var call = WeakReference()
    weak var held: TrackedObject?
    do {
      let object = TrackedObject()
      held = object
      call = try await Self.request(kind, scenario, folder.file(), over: transport, object)
    }
    await suspendUntil { transport.counts.left == 0 && held == nil && call.object == nil }
    #expect(transport.counts == (1, 0))
    #expect(held == nil)
    #expect(call.object == nil)
  }

  /// Sends a request and waits for its end, which is an error for a stream.
  private static func finish(
    _ kind: RequestKind, _ target: LoopbackTarget, _ provider: NetworkProvider<LoopbackTarget>
  )
    async
  {
    guard kind == .sequence || kind == .receiver else {
      _ = await provider.result(target)
      return
    }
    await #expect(throws: NetworkError.self) { for try await _ in provider.stream(target) {} }
  }

  @Test(
    "all objects are released after an immediate error response, with and without a retry",
    arguments: RequestKind.allCases,
    [0, 2])
  func atOnce(kind: RequestKind, retries: UInt) async throws {
    let folder = try TemporaryFolder()
    let transport = TransferCountingTransport { TransferScenario.refused.run($0) {} }
    weak var held: TrackedObject?
    do {
      let object = TrackedObject()
      held = object
      let target = Self.target(kind, folder.file(), object).with { $0.validationType = .successCodes }
      let retrier = RetryPolicy(
        retryLimit: retries, exponentialBackoffScale: 0, retryableHTTPStatusCodes: [404])
      let provider = NetworkProvider<LoopbackTarget>(transport: transport, interceptors: [retrier])
      await Self.finish(kind, target, provider)
    }
    await suspendUntil { transport.counts.left == 0 && held == nil }
    #expect(transport.counts == (Int(retries) + 1, 0))
    #expect(held == nil)
  }

  @Test("all objects are released after a stub with a rejected response", arguments: RequestKind.allCases)
  func stubs(kind: RequestKind) async throws {
    let folder = try TemporaryFolder()
    weak var held: TrackedObject?
    do {
      let object = TrackedObject()
      held = object
      let provider = NetworkProvider<LoopbackTarget>(
        endpointClosure: { target in
          Endpoint(
            url: "http://h", sampleResponseClosure: { .networkResponse(404, Data("not here".utf8)) },
            method: target.method, task: target.task, httpHeaderFields: nil)
        }, stubClosure: NetworkProvider<LoopbackTarget>.immediatelyStub,
        transport: TransferCountingTransport())
      await Self.finish(kind, Self.target(kind, folder.file(), object), provider)
    }
    await suspendUntil { held == nil }
    #expect(held == nil)
  }
}

import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Backpressure", .timeLimit(.minutes(5)))
struct BackpressureTests {
  /// A transfer that records its calls, and blocks in `resume()`.
  private final class SlowTransfer: Transfer {
    let calls: AsyncStream<String>
    private let call: AsyncStream<String>.Continuation
    private let notes = Lock([String]())
    private let gate = DispatchSemaphore(value: 0)

    init() {
      (calls, call) = AsyncStream.makeStream()
    }

    var all: [String] { notes.withLock { $0 } }
    var isCancelled: Bool { false }
    func cancel() {}
    func pause() { record("pause") }

    func resume() {
      record("resume")
      gate.wait()
    }

    func release() { gate.signal() }

    private func record(_ text: String) {
      notes.withLock { $0.append(text) }
      call.yield(text)
    }
  }

  private final class SlowTransport: Transport {
    let transfer = SlowTransfer()
    let handler = Lock<[@Sendable (TransferEvent) -> Void]>([])

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      self.handler.withLock { $0.append(handler) }
      return transfer
    }
  }

  private final class Fixture: Sendable {
    let transport = SlowTransport()
    let turns = DispatchSemaphore(value: 0)
    let count = Lock(0)

    func send(_ event: TransferEvent) {
      for handler in transport.handler.withLock({ $0 }) { handler(event) }
    }
  }

  /// A transport that sends more than a stream buffers before it returns the transfer.
  private final class EagerTransport: Transport {
    let transfer = SlowTransfer()
    let handler = Lock<(@Sendable (TransferEvent) -> Void)?>(nil)

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      self.handler.withLock { $0 = handler }
      handler(.head(ResponseHead(statusCode: 200, url: request.url, headers: [:])))
      for _ in 0..<5 { handler(.body(Data(count: 64 << 10))) }
      return transfer
    }

    func finish() {
      let handler = handler.withLock { $0.take() }
      handler?(.finished(.cancelled))
    }
  }

  @Test("a body that arrives before the transport returns its transfer still pauses the sender")
  func eager() {
    let transport = EagerTransport()
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(
      LoopbackTarget(URL(staticString: "http://h")))
    #expect(transport.transfer.all == ["pause"])
    stream.cancel()
    transport.finish()
  }

  @Test("a sender is paused when 256 KiB are buffered, and not before")
  func full() {
    let setting = Fixture()
    let stream = NetworkProvider<LoopbackTarget>(transport: setting.transport).stream(
      LoopbackTarget(URL(staticString: "http://h")))
    setting.send(.head(ResponseHead(statusCode: 200, url: "http://h", headers: [:])))
    for calls in [[], [], [], ["pause"]] as [[String]] {
      setting.send(.body(Data(count: 64 << 10)))
      #expect(setting.transport.transfer.all == calls)
    }
    stream.cancel()
    setting.send(.finished(.cancelled))
  }

  @Test("a paused sender is resumed when half of the buffer is left, and not before")
  func half() async throws {
    let transport = EagerTransport()
    // The only call of resume() returns at once.
    transport.transfer.release()
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(
      LoopbackTarget(URL(staticString: "http://h")))
    var chunks = stream.makeAsyncIterator()
    // Of 320 KiB, the third chunk leaves 128 KiB.
    for calls in [["pause"], ["pause"], ["pause", "resume"]] {
      _ = try await chunks.next()
      #expect(transport.transfer.all == calls)
    }
    stream.cancel()
    transport.finish()
  }

  @Test("a body that arrives while a thread is still in resume() pauses the sender again")
  func slowResume() async throws {
    let setting = Fixture()
    let provider = NetworkProvider<LoopbackTarget>(transport: setting.transport)
    let url = try #require(URL(string: "http://localhost"))
    let (ends, end) = AsyncStream.makeStream(of: NetworkError?.self)
    provider.stream(LoopbackTarget(url)) { event in
      switch event {
      case .response: break
      case .chunk(let chunk):
        setting.turns.wait()
        setting.count.withLock { $0 += chunk.count }
      case .finished(let error): end.yield(error)
      }
    }
    let transfer = setting.transport.transfer
    setting.send(.head(ResponseHead(statusCode: 200, url: "http://localhost", headers: [:])))
    let chunk = Data(count: 64 << 10)
    // The receiver may already have one of them; the others fill the buffer.
    for _ in 0..<5 { setting.send(.body(chunk)) }
    #expect(transfer.all == ["pause"])
    for _ in 0..<2 { setting.turns.signal() }
    // The call is on the thread of the receiver, and does not return.
    for await call in transfer.calls where call == "resume" { break }
    for _ in 0..<4 { setting.send(.body(chunk)) }
    #expect(transfer.all.last == "pause")
    transfer.release()
    for _ in 0..<100 {
      setting.turns.signal()
      transfer.release()
    }
    for await call in transfer.calls where call == "resume" { break }
    setting.send(.finished(nil))
    for await error in ends {
      #expect(error == nil)
      break
    }
    #expect(setting.count.withLock { $0 } == 9 * chunk.count)
  }
}

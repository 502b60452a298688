import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Progress", .timeLimit(.minutes(5)))
struct ProgressTests {
  private let transport = ScriptedTransport()
  private let log = Log()

  private struct UploadTarget: TargetType {
    let size: Int
    var baseURL: URL { URL(staticString: "http://h") }
    var path: String { "" }
    var method: HTTPMethod { .post }
    var task: HTTPTask { .requestData(Data(count: size)) }
  }

  private func record(_ progress: ProgressResponse) {
    #expect((0...).contains(progress.totalUnitCount))
    log("\(progress.progress) \(progress.response.map { "\($0.statusCode)" } ?? "-")")
  }

  private func start<Target: TargetType>(_ target: Target) -> ScriptedTransport.Transfer? {
    let log = log
    NetworkProvider<Target>(
      transport: transport, plugins: [LoggingPlugin(name: "A", log: Log())], scheduler: TickingScheduler()
    ).request(target, progress: record) { log("end \($0.summary)") }
    return transport.transfers.first
  }

  private func head(_ headers: HTTPHeaders) -> TransferEvent {
    .head(ResponseHead(statusCode: 200, url: "http://h", headers: headers))
  }

  @Test("reports the response relative to its length; the last progress has the response of the completion")
  func download() {
    start(GitHub.zen)?.send(
      head(["content-length": "8"]), .body(Data(count: 2)), .body(Data(count: 4)), .body(Data(count: 2)),
      .finished(nil))
    #expect(log.all == ["0.25 -", "0.75 -", "1.0 -", "1.0 201", "end 201"])
  }

  @Test("is relative to the length of the last head")
  func severalHeads() {
    start(GitHub.zen)?.send(
      head(["Content-Length": "8"]), .body(Data(count: 2)), head(["Content-Length": "4"]),
      .body(Data(count: 4)), .finished(nil))
    #expect(log.all == ["0.25 -", "1.0 -", "1.0 201", "end 201"])
  }

  @Test(
    "is 0 until the end if the length is unknown",
    arguments: [
      HTTPHeaders(), ["Content-Length": "x"], ["Content-Length": "-8"],
      ["Content-Length": "8", "Content-Encoding": "gzip"],
    ])
  func unknownLength(headers: HTTPHeaders) {
    start(GitHub.zen)?.send(head(headers), .body(Data(count: 2)), .body(Data(count: 4)), .finished(nil))
    #expect(log.all == ["0.0 -", "0.0 -", "1.0 201", "end 201"])
  }

  @Test("never exceeds 1 if the server sends more than it announced")
  func tooLong() {
    start(GitHub.zen)?.send(head(["Content-Length": "1"]), .body(Data(count: 2)), .finished(nil))
    #expect(log.all == ["1.0 -", "1.0 201", "end 201"])
  }

  @Test("reports a large request body, and does not decrease")
  func upload() throws {
    let transfer = try #require(start(UploadTarget(size: 100_000)))
    #expect(transfer.request.reportsProgress)
    transfer.send(
      .sent(50_000, of: 100_000), .sent(25_000, of: 100_000), .sent(50_000, of: 100_000),
      .sent(100_000, of: 100_000),
      head(["Content-Length": "2"]), .body(Data(count: 1)), .body(Data(count: 1)), .finished(nil))
    #expect(log.all == ["0.5 -", "1.0 -", "1.0 201", "end 201"])
  }

  @Test("ends with the count of what was sent or received, also if a plugin replaces the response")
  func replacedResponse() {
    struct EmptyingPlugin: PluginType {
      func process(
        _ result: Result<Response, NetworkError>, target: any TargetType
      ) -> Result<Response, NetworkError> {
        result.map { Response(statusCode: $0.statusCode, data: Data()) }
      }
    }
    let counts = Lock([Int64]())
    let provider = NetworkProvider<UploadTarget>(
      transport: transport, plugins: [EmptyingPlugin()], scheduler: TickingScheduler())
    for size in [100_000, 100] {
      provider.request(
        UploadTarget(size: size),
        progress: { progress in
          counts.withLock { $0 += [progress.completedUnitCount, progress.totalUnitCount] }
        }, completion: { _ in })
    }
    transport.transfers[0].send(
      .sent(100_000, of: 100_000), head(["Content-Length": "2"]), .body(Data(count: 2)), .finished(nil))
    transport.transfers[1].send(head(["Content-Length": "2"]), .body(Data(count: 2)), .finished(nil))
    let all = counts.withLock { $0 }
    #expect(all == [100_000, 100_000, 100_000, 100_000, 2, 2, 2, 2])
  }

  @Test("does not report a small request body")
  func smallUpload() throws {
    let transfer = try #require(start(UploadTarget(size: 100)))
    #expect(!transfer.request.reportsProgress)
    transfer.send(.sent(100, of: 100), head(["Content-Length": "2"]), .body(Data(count: 1)), .finished(nil))
    #expect(log.all == ["0.5 -", "1.0 201", "end 201"])
  }

  @Test(
    "is requested from the transport for request bodies from 64 KiB",
    arguments: [(65_535, false), (65_536, true)])
  func smallestUpload(size: Int, isAskedFor: Bool) throws {
    defer { transport.finish() }
    #expect(try #require(start(UploadTarget(size: size))).request.reportsProgress == isAskedFor)
  }

  @Test("has no last progress with a response on failure")
  func failure() {
    start(GitHub.zen)?.send(
      head(["Content-Length": "2"]), .body(Data(count: 1)), .finished(.connectionLost(reason: "r")))
    #expect(log.all == ["0.5 -", #"end connectionLost(reason: "r")"#])
  }

  @Test("is not requested from the transport without a progress block")
  func unwanted() {
    defer { transport.finish() }
    NetworkProvider<UploadTarget>(transport: transport).request(UploadTarget(size: 100_000)) { _ in }
    #expect(transport.transfers.first?.request.reportsProgress == false)
    transport.transfers.first?.send(.sent(1, of: 100_000))
  }

  @Test("stays in order on a concurrent queue, and skips outdated values")
  func concurrentQueue() async {
    let queue = DispatchQueue(label: "callbacks", attributes: .concurrent)
    let log = log
    let counts = Lock([Int64]())
    await withCheckedContinuation { done in
      NetworkProvider<GitHub>(transport: transport).request(
        .zen, callbackQueue: queue,
        progress: { progress in counts.withLock { $0.append(progress.completedUnitCount) } },
        completion: { result in
          log("end \(result.summary)")
          done.resume()
        })
      transport.transfers.first?.send(head(["Content-Length": "1000"]))
      for _ in 0..<1000 { transport.transfers.first?.send(.body(Data(count: 1))) }
      transport.transfers.first?.send(.finished(nil))
    }
    let all = counts.withLock { $0 }
    #expect(all == all.sorted())
    #expect(all.last == 1000)
    #expect(log.all == ["end 200"])
  }

  @Test("is delivered at most sixty times a second; the latest value that came too early is delivered later")
  func pace() {
    let time = ManualDelayScheduler()
    NetworkProvider<GitHub>(transport: transport, scheduler: time).request(.zen, progress: record) { [log] in
      log("end \($0.summary)")
    }
    let transfer = transport.transfers[0]
    let piece = TransferEvent.body(Data(count: 1))
    transfer.send(head(["Content-Length": "10"]), piece, piece, piece)
    #expect(log.all == ["0.1 -"])
    time.advance(by: .milliseconds(16))
    #expect(log.all.count == 1)
    time.advance(by: .milliseconds(1))
    #expect(log.all == ["0.1 -", "0.3 -"])
    // The second progress was delivered at 1/60 s, so the next may be delivered at 2/60 s.
    transfer.send(piece)
    time.advance(by: .milliseconds(10))
    transfer.send(piece)
    #expect(log.all.count == 2)
    time.advance(by: .milliseconds(10))
    #expect(log.all == ["0.1 -", "0.3 -", "0.5 -"])
    time.advance(by: .seconds(1))
    transfer.send(piece, piece)
    #expect(log.all.last == "0.6 -")
    // Pending progress is dropped at the end.
    transfer.send(.finished(nil))
    time.advance(by: .seconds(1))
    #expect(log.all == ["0.1 -", "0.3 -", "0.5 -", "0.6 -", "1.0 200", "end 200"])
  }

  @Test("of a failed attempt is dropped if it is still pending, because the next attempt may start meanwhile")
  func pendingOfFailedAttempt() {
    let time = ManualDelayScheduler()
    NetworkProvider<GitHub>(
      transport: transport, interceptors: [RetryPolicy(jitter: 0)], scheduler: time
    ).request(.zen, progress: record) { [log] in log("end \($0.summary)") }
    let piece = TransferEvent.body(Data(count: 1))
    transport.transfers[0].send(
      head(["Content-Length": "10"]), piece, piece, .finished(.connectionLost(reason: "r")))
    time.advance(by: .milliseconds(400))
    #expect(log.all == ["0.1 -"])
    time.advance(by: .milliseconds(200))
    transport.transfers[1].send(head(["Content-Length": "10"]), piece, piece)
    #expect(log.all == ["0.1 -", "0.2 -"])
    transport.transfers[1].send(.finished(nil))
    #expect(log.all == ["0.1 -", "0.2 -", "1.0 200", "end 200"])
  }

  @Test("of the attempt after a failed one waits for the same pace")
  func paceOfRetries() {
    let time = ManualDelayScheduler()
    NetworkProvider<GitHub>(
      transport: transport, interceptors: [RetryPolicy(exponentialBackoffScale: 0)], scheduler: time
    ).request(.zen, progress: record) { [log] in log("end \($0.summary)") }
    let piece = TransferEvent.body(Data(count: 1))
    transport.transfers[0].send(
      head(["Content-Length": "10"]), piece, piece, .finished(.connectionLost(reason: "r")))
    time.advance(by: .zero)
    transport.transfers[1].send(head(["Content-Length": "10"]), piece, piece, piece, piece)
    #expect(log.all == ["0.1 -"])
    time.advance(by: .milliseconds(20))
    #expect(log.all == ["0.1 -", "0.4 -"])
    transport.transfers[1].send(piece, piece)
    time.advance(by: .milliseconds(20))
    #expect(log.all == ["0.1 -", "0.4 -", "0.6 -"])
    transport.transfers[1].send(.finished(nil))
    #expect(log.all.suffix(2) == ["1.0 200", "end 200"])
  }

  @Test("is reported even if the clock is set back")
  func clockSetBack() {
    let clock = SettableClock()
    NetworkProvider<GitHub>(transport: transport, scheduler: clock).request(.zen, progress: record) { _ in }
    let piece = TransferEvent.body(Data(count: 1))
    transport.transfers[0].send(head(["Content-Length": "10"]), piece)
    clock.time.withLock { $0 -= 3_600 }
    transport.transfers[0].send(piece)
    #expect(log.all == ["0.1 -", "0.2 -"])
    transport.finish()
  }

  @Test("is delivered sixty times for a thousand pieces within a second")
  func burst() {
    let time = ManualDelayScheduler()
    NetworkProvider<GitHub>(transport: transport, scheduler: time).request(.zen, progress: record) { _ in }
    transport.transfers[0].send(head(["Content-Length": "1000"]))
    for _ in 0..<1000 {
      transport.transfers[0].send(.body(Data(count: 1)))
      time.advance(by: .milliseconds(1))
    }
    #expect((55...61).contains(log.all.count), "\(log.all.count)")
    transport.finish()
  }

  @Test("does not decrease when a request is retried, and ignores the body of a failed attempt")
  func retries() throws {
    struct RetryOnceInterceptor: RequestInterceptor {
      func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
      ) { completion(request.retryCount == 0 ? .retry : .doNotRetry) }
    }
    let log = log
    NetworkProvider<GitHub>(
      transport: transport, interceptors: [RetryOnceInterceptor()], scheduler: TickingScheduler()
    )
    .request(.zen, progress: record) { log("end \($0.summary)") }
    transport.transfers[0].send(
      .head(ResponseHead(statusCode: 503, url: "http://h", headers: ["Content-Length": "4"])),
      .body(Data(count: 4)), .finished(nil))
    #expect(log.all.isEmpty)
    transport.transfers[1].send(head(["Content-Length": "4"]), .body(Data(count: 2)), .finished(nil))
    #expect(log.all == ["0.5 -", "1.0 200", "end 200"])
    NetworkProvider<GitHub>(
      transport: transport, interceptors: [RetryOnceInterceptor()], scheduler: TickingScheduler()
    )
    .request(.zen, progress: record) { log("end \($0.summary)") }
    transport.transfers[2].send(
      head(["Content-Length": "4"]), .body(Data(count: 3)), .finished(.connectionLost(reason: "r")))
    transport.transfers[3].send(
      head(["Content-Length": "4"]), .body(Data(count: 1)), .body(Data(count: 1)), .body(Data(count: 1)),
      .body(Data(count: 1)), .finished(nil))
    #expect(log.all.suffix(4) == ["0.75 -", "1.0 -", "1.0 200", "end 200"])
  }

  @Test("does not count fewer bytes if the length is known only of a later attempt")
  func retryWithLength() {
    let counts = Lock([Int64]())
    let time = ManualDelayScheduler()
    NetworkProvider<GitHub>(
      transport: transport, interceptors: [RetryPolicy(exponentialBackoffScale: 0)], scheduler: time
    ).request(.zen, progress: { progress in counts.withLock { $0.append(progress.completedUnitCount) } }) {
      _ in
    }
    transport.transfers[0].send(head([:]), .body(Data(count: 4)), .finished(.connectionLost(reason: "r")))
    time.advance(by: .seconds(1))
    transport.transfers[1].send(head(["Content-Length": "8"]), .body(Data(count: 2)))
    time.advance(by: .seconds(1))
    transport.transfers[1].send(.body(Data(count: 6)), .finished(nil))
    #expect(counts.withLock { $0 } == [4, 8, 8])
  }

  @Test("converts from and to Foundation's Progress")
  func foundation() {
    let progress = Progress(totalUnitCount: 8)
    progress.completedUnitCount = 2
    let part = ProgressResponse(progress: progress)
    #expect(part.progress == 0.25)
    #expect(!part.completed)
    #expect(part.progressObject?.fractionCompleted == 0.25)
    #expect(ProgressResponse().progress == 0)
    #expect(ProgressResponse().progressObject == nil)
    let last = ProgressResponse(response: Response(statusCode: 200, data: Data()))
    #expect(last.completed)
    #expect(last.progress == 1)
  }
}

import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Delivery of streams", .timeLimit(.minutes(5)))
struct StreamBodyDeliveryTests {
  private let target = LoopbackTarget(URL(staticString: "http://h"))

  private func read(_ stream: ResponseStream) async -> (body: Data, error: NetworkError?) {
    var body = Data()
    do {
      for try await chunk in stream { body.append(chunk) }
      return (body, nil)
    } catch {
      return (body, error)
    }
  }

  private static func head(_ statusCode: Int = 200) -> TransferEvent {
    .head(ResponseHead(statusCode: statusCode, url: "http://h", headers: [:]))
  }

  @Test(
    "a body of a media type that the target does not accept is an error, but an empty body needs no type",
    arguments: [
      (200, ["Content-Type": "application/json; charset=utf-8"], true),
      (200, ["Content-Type": "text/plain"], false), (200, [:], false), (204, [:], true),
      (200, ["Content-Length": "0"], true), (205, [:], true), (304, [:], true),
    ] as [(Int, HTTPHeaders, Bool)])
  func mediaTypes(status: Int, headers: HTTPHeaders, isAccepted: Bool) async {
    let transport = ScriptedTransport { $0.respond(status, headers: headers) }
    let target = target.with {
      $0.acceptableContentTypes = ["application/json"]
      $0.validationType = .successAndRedirectCodes
    }
    let error = await read(NetworkProvider<LoopbackTarget>(transport: transport).stream(target)).error
    if isAccepted {
      #expect(error == nil)
    } else {
      guard case .underlying(_ as ContentTypeError, let response?)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(response.statusCode == status)
    }
  }

  @Test("the response to a HEAD request has no body, so that it needs no media type")
  func headRequest() async {
    let transport = ScriptedTransport { $0.respond(200, headers: ["Content-Type": "text/plain"]) }
    let target = target.with {
      $0.method = .head
      $0.acceptableContentTypes = ["application/json"]
    }
    let error = await read(NetworkProvider<LoopbackTarget>(transport: transport).stream(target)).error
    #expect(error == nil)
  }

  @Test(
    "only a status of 200 to 299 is a success unless the target says otherwise",
    arguments: [(200, true), (299, true), (300, false), (304, false)])
  func statuses(status: Int, isSuccess: Bool) async {
    let transport = ScriptedTransport { $0.respond(status, "x") }
    let (body, error) = await read(NetworkProvider<LoopbackTarget>(transport: transport).stream(target))
    #expect((error == nil) == isSuccess)
    #expect(body == Data((isSuccess ? "x" : "").utf8))
  }

  @Test("a body of a bad status that breaks off is an error with that status and with what has arrived")
  func interruptedRefusal() async {
    let transport = ScriptedTransport {
      $0.send(Self.head(500), .body(Data("wro".utf8)), .finished(.connectionLost(reason: "r")))
    }
    let error = await read(NetworkProvider<LoopbackTarget>(transport: transport).stream(target)).error
    #expect(error?.transferError == .connectionLost(reason: "r"))
    #expect(error?.response?.statusCode == 500)
    #expect(error?.response?.data == Data("wro".utf8))
  }

  @Test("an informational response before the final one is ignored")
  func informational() async {
    let transport = ScriptedTransport {
      $0.send(Self.head(103), Self.head(), .body(Data("x".utf8)), .finished(nil))
    }
    let (body, error) = await read(NetworkProvider<LoopbackTarget>(transport: transport).stream(target))
    #expect(error == nil)
    #expect(body == Data("x".utf8))
  }

  @Test("plugins get the metrics of the transport")
  func metrics() async {
    var metrics = TransferMetrics()
    metrics.total = .milliseconds(2500)
    let transport = ScriptedTransport { [metrics] in
      $0.send(Self.head(), .body(Data("x".utf8)), .metrics(metrics), .finished(nil))
    }
    let seen = Lock([TransferMetrics?]())
    let plugin = MetricsPlugin { entry in seen.withLock { $0.append(entry.metrics) } }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin])
    #expect(await read(provider.stream(target)).error == nil)
    #expect(seen.withLock { $0 } == [metrics])
  }

  @Test("a cancel drops the pending pieces")
  func cancelled() async throws {
    let transport = ScriptedTransport {
      $0.send(Self.head(), .body(Data("a".utf8)), .body(Data("b".utf8)), .body(Data("c".utf8)))
    }
    defer { transport.finish() }
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(target)
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next() == Data("a".utf8))
    stream.cancel()
    do {
      let piece = try await iterator.next()
      Issue.record("\(String(describing: piece))")
    } catch {
      #expect(error.isCancelled)
    }
  }

  @Test("a piece that arrives after a cancel is dropped")
  func latePiece() async throws {
    let transport = ScriptedTransport { $0.send(Self.head()) }
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(target)
    let transfer = try #require(transport.transfers.first)
    stream.cancel()
    transfer.send(.body(Data("a".utf8)))
    var iterator = stream.makeAsyncIterator()
    let error = await #expect(throws: NetworkError.self) { _ = try await iterator.next() }
    #expect(error?.isCancelled == true)
    transfer.send(.finished(.cancelled))
  }

  @Test("a task that is already cancelled sends no request")
  func cancelledBefore() async {
    let transport = ScriptedTransport { $0.respond() }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await read(provider.stream(target)).error
    }
    #expect(await task.value?.isCancelled == true)
    #expect(transport.transfers.isEmpty)
  }

  @Test("a cancel after the end of the transfer drops the pending pieces, too")
  func cancelledLate() async throws {
    let transport = ScriptedTransport {
      $0.send(Self.head(), .body(Data("a".utf8)), .body(Data("b".utf8)), .finished(nil))
    }
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(target)
    stream.cancel()
    var iterator = stream.makeAsyncIterator()
    let error = await #expect(throws: NetworkError.self) { _ = try await iterator.next() }
    #expect(error?.isCancelled == true)
  }

  @Test("a cancel after the end of the transfer is the only event for a receiver that has got nothing yet")
  func cancelledLateForReceiver() async {
    let transport = ScriptedTransport { $0.send(Self.head(), .body(Data("a".utf8)), .finished(nil)) }
    let queue = DispatchQueue(label: "pieces")
    let events = Log()
    queue.suspend()
    let token = NetworkProvider<LoopbackTarget>(transport: transport).stream(target, callbackQueue: queue) {
      switch $0 {
      case .response, .chunk: events("\($0)")
      case .finished(let error): events(error?.isCancelled == true ? "cancelled" : "end")
      }
    }
    token.cancel()
    queue.resume()
    // The end may follow on another thread.
    await suspendUntil { events.all.last == "cancelled" }
    #expect(events.all == ["cancelled"])
  }

  @Test("all pieces that are pending for the receiver's queue are delivered")
  func waitingPieces() {
    let transport = ScriptedTransport { transfer in
      transfer.send(Self.head())
      for number in 0..<100 { transfer.send(.body(Data("\(number) ".utf8))) }
      transfer.send(.finished(nil))
    }
    let queue = DispatchQueue(label: "pieces")
    queue.suspend()
    let body = Lock(Data())
    let ends = Lock(0)
    NetworkProvider<LoopbackTarget>(transport: transport).stream(target, callbackQueue: queue) { event in
      switch event {
      case .response: break
      case .chunk(let chunk): body.withLock { $0.append(chunk) }
      case .finished: ends.withLock { $0 += 1 }
      }
    }
    queue.resume()
    // The work of the queue may enqueue more work.
    for _ in 0..<200 { queue.sync {} }
    #expect(ends.withLock { $0 } == 1)
    #expect(String(decoding: body.withLock { $0 }, as: UTF8.self) == (0..<100).map { "\($0) " }.joined())
  }

  @Test("hundreds of small pieces arrive in order, including those that are sent meanwhile")
  func manyPieces() async throws {
    let transport = ScriptedTransport()
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(target)
    let transfer = try #require(transport.transfers.first)
    func send(_ numbers: Range<Int>) {
      for number in numbers { transfer.send(.body(Data("\(number) ".utf8))) }
    }
    transfer.send(Self.head())
    send(0..<300)
    var body = Data()
    var iterator = stream.makeAsyncIterator()
    for _ in 0..<20 { body.append(try await iterator.next() ?? Data()) }
    send(300..<500)
    transfer.send(.finished(nil))
    while let piece = try await iterator.next() { body.append(piece) }
    #expect(String(decoding: body, as: UTF8.self) == (0..<500).map { "\($0) " }.joined())
  }

  @Test("iterations that wait at the same time share the chunks, and all of them end")
  func twoReaders() async throws {
    let transport = ScriptedTransport { $0.send(Self.head()) }
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(target)
    let transfer = try #require(transport.transfers.first)
    let (begun, ended) = (Log(), Log())
    // So many that at least two are waiting when the body arrives.
    for _ in 0..<20 {
      Task {
        begun("")
        let (body, error) = await read(stream)
        ended(error.map { "\($0)" } ?? String(decoding: body, as: UTF8.self))
      }
    }
    await suspendUntil { begun.all.count == 20 }
    transfer.send(.body(Data("a".utf8)), .body(Data("b".utf8)), .finished(nil))
    #expect(await suspendUntil { ended.all.count == 20 })
    #expect(ended.all.joined().sorted() == ["a", "b"])
  }

  @Test("all tasks that wait for the head get it")
  func twoWaitsForTheHead() async throws {
    let transport = ScriptedTransport()
    defer { transport.finish() }
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(target)
    let transfer = try #require(transport.transfers.first)
    let (begun, statuses) = (Log(), Log())
    // So many that at least two are waiting when the head arrives.
    for _ in 0..<20 {
      Task {
        begun("")
        let response = try? await stream.response
        statuses("\(response?.statusCode ?? 0)")
      }
    }
    await suspendUntil { begun.all.count == 20 }
    transfer.send(Self.head())
    await suspendUntil { statuses.all.count == 20 }
    #expect(statuses.all == Array(repeating: "200", count: 20))
  }
}

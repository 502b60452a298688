import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Receivers that pause the sender", .timeLimit(.minutes(5)))
struct PauseTests {
  private final class PausingReceiver: Sendable {
    private struct State {
      var transfer: (any Transfer)?
      var mustPause = false
      var count = 0
    }

    let recorder = TransferRecorder()
    private let state = Lock(State())

    var count: Int { state.withLock { $0.count } }

    func attach(_ token: any Cancellable) {
      let transfer = state.withLock { state in
        state.transfer = token as? any Transfer
        return state.mustPause ? state.transfer : nil
      }
      transfer?.pause()
    }

    @Sendable func receive(_ event: TransferEvent) {
      if case .body(let data) = event {
        let transfer = state.withLock { state in
          state.count += data.count
          state.mustPause = true
          return state.transfer
        }
        transfer?.pause()
      } else {
        recorder.record(event)
      }
    }

    func resume() {
      let transfer = state.withLock { state in
        state.mustPause = false
        return state.transfer
      }
      transfer?.resume()
    }
  }

  @Test("a malformed trailer is an error, also if it was held back", arguments: [false, true])
  func malformedTrailer(isPaused: Bool) async throws {
    let gate = LoopbackServer.Gate()
    let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nno colon\r\n\r\n"
    let server = try LoopbackServer { _ in .raw(Array(response.utf8)).held(until: gate) }
    let transport = try CurlTransport()
    let (token, recorder) = transport.record(.init(url: server.origin))
    let transfer = try #require(token as? any Transfer)
    if isPaused { transfer.pause() }
    gate.open()
    await recorder.waitUntil { $0.heads == 1 }
    transfer.resume()
    let error = await recorder.waitForEnd().error
    guard case .badServerResponse = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a paused receiver stops the server from sending, and other transfers continue")
  func backpressure() async throws {
    // Nothing must arrive before the receiver can pause the transfer.
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer {
      $0.path == "/large" ? .repeating(7, count: 256 << 20).held(until: gate) : .text("ok")
    }
    let transport = try CurlTransport()
    let receiver = PausingReceiver()
    let token = transport.start(
      .init(url: "\(server.origin)/large"), handler: receiver.receive)
    receiver.attach(token)
    gate.open()
    try await server.log(until: { $0.bytesSent > 0 })
    // Enough time for a sender without flow control to finish.
    for _ in 0..<300 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
    #expect(server.log.bytesSent < 64 << 20)
    #expect(receiver.recorder.events.errors.isEmpty)
    // The receiver cannot pause before it has the token.
    #expect((1...(64 << 20)).contains(receiver.count))
    token.cancel()
    #expect(await receiver.recorder.waitForEnd().error == .cancelled)
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test(
    "after resuming, retained data arrives complete and in order", arguments: ["plain", "chunked", "held"])
  func resumes(how: String) async throws {
    let body = Data.megabyte
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in
      switch how {
      case "chunked": .bytes(body).chunked(size: 777)
      case "held": .bytes(body).bodyHeld(until: gate, after: 100_000)
      default: .bytes(body)
      }
    }
    let transport = try CurlTransport()
    let holder = Lock<(any Transfer)?>(nil)
    let recorder = TransferRecorder()
    let queue = DispatchQueue(label: "resumes")
    let token = transport.start(.init(url: server.origin)) { event in
      recorder.record(event)
      guard case .body = event, let transfer = holder.withLock({ $0 }) else { return }
      transfer.pause()
      transfer.pause()
      gate.open()
      queue.async { transfer.resume() }
    }
    holder.withLock { $0 = token as? any Transfer }
    #expect(token is any Transfer)
    gate.open()
    let events = await recorder.waitForEnd()
    #expect(events.error == nil)
    let isWhole = events.body == body
    #expect(isWhole)
    holder.withLock { $0 = nil }
  }

  @Test(
    "after a pause within the handler, neither body nor end follows until a resume or a cancellation"
  )
  func within() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try CurlTransport()
    for isCancelled in [false, true] {
      // Nothing must arrive before the receiver can pause the transfer.
      let gate = LoopbackServer.Gate()
      server.route("/held/\(isCancelled)") { _ in .bytes(Data.megabyte).held(until: gate) }
      let holder = Lock<(any Transfer)?>(nil)
      let recorder = TransferRecorder()
      let token = transport.start(.init(url: "\(server.origin)/held/\(isCancelled)")) { event in
        recorder.record(event)
        if case .head = event { holder.withLock { $0 }?.pause() }
      }
      holder.withLock { $0 = token as? any Transfer }
      gate.open()
      await recorder.waitUntil { $0.heads == 1 }
      for _ in 0..<20 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
      #expect(recorder.events.pieces.isEmpty)
      #expect(!recorder.events.isOver)
      if isCancelled { token.cancel() } else { holder.withLock { $0 }?.resume() }
      let events = await recorder.waitForEnd()
      #expect(events.error == (isCancelled ? .cancelled : nil))
      let isWhole = events.body == Data.megabyte
      #expect(isWhole != isCancelled)
      holder.withLock { $0 = nil }
    }
  }

  @Test("an end retained by a pause is delivered on resume, or becomes a cancellation")
  func cancelledEnd() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try CurlTransport()
    for isCancelled in [false, true] {
      // Nothing must arrive before the receiver can pause the transfer.
      let gate = LoopbackServer.Gate()
      server.route("/held/\(isCancelled)") { _ in .text("whole").held(until: gate) }
      let holder = Lock<(any Transfer)?>(nil)
      let recorder = TransferRecorder()
      let token = transport.start(.init(url: "\(server.origin)/held/\(isCancelled)")) { event in
        recorder.record(event)
        if case .head = event { holder.withLock { $0 }?.pause() }
      }
      holder.withLock { $0 = token as? any Transfer }
      gate.open()
      await recorder.waitUntil { $0.heads == 1 }
      // The whole response has arrived by now, because it is as short as these.
      for _ in 0..<20 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
      #expect(!recorder.events.isOver)
      if isCancelled { token.cancel() } else { holder.withLock { $0 }?.resume() }
      let events = await recorder.waitForEnd()
      #expect(events.error == (isCancelled ? .cancelled : nil))
      #expect(events.body == Data((isCancelled ? "" : "whole").utf8))
      holder.withLock { $0 = nil }
    }
  }

  @Test("an error ends a paused transfer, after the part of the body that has arrived")
  func failedWhilePaused() async throws {
    let mayRespond = DispatchSemaphore(value: 0)
    let server = try RawServer { stream, _ in
      _ = stream.read(until: "\r\n\r\n")
      // Nothing must arrive before the receiver can pause the transfer.
      mayRespond.wait()
      stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123".utf8))
    }
    let transport = try CurlTransport()
    let holder = Lock<(any Transfer)?>(nil)
    let recorder = TransferRecorder()
    let token = transport.start(.init(url: "http://127.0.0.1:\(server.port)")) { event in
      recorder.record(event)
      if case .head = event { holder.withLock { $0 }?.pause() }
    }
    holder.withLock { $0 = token as? any Transfer }
    mayRespond.signal()
    #expect(await suspendUntil { recorder.events.isOver })
    token.cancel()
    let events = await recorder.waitForEnd()
    #expect(events.body == Data("0123".utf8))
    if case .truncatedBody? = events.error {} else { Issue.record("\(String(describing: events.error))") }
    holder.withLock { $0 = nil }
  }

  @Test("the body of a fast sender arrives in pieces that take little memory each")
  func pieces() async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: 64 << 20) }
    let transport = try CurlTransport()
    let sizes = Lock((count: 0, largest: 0))
    let recorder = TransferRecorder()
    let token = transport.start(.init(url: server.origin)) { event in
      guard case .body(let piece) = event else { return recorder.record(event) }
      let count = sizes.withLock { sizes in
        sizes = (sizes.count + piece.count, max(sizes.largest, piece.count))
        return sizes.count
      }
      // The sender continues meanwhile, as far as a connection's smallest buffers allow.
      _ = try? server.waitUntil { $0.bytesSent >= min(64 << 20, count + 32 << 10) }
    }
    #expect(await recorder.waitForEnd().error == nil)
    #expect(sizes.withLock { $0.count } == 64 << 20)
    #expect(sizes.withLock { $0.largest } <= 256 << 10)
    withExtendedLifetime(token) {}
  }

  @Test("a transfer of URLSession cannot be paused, which its type states")
  func urlSession() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    for kind in TransportKind.allCases {
      let (transfer, recorder) = try kind.make().record(.init(url: server.origin))
      #expect((transfer is any Transfer) == (kind == .curl))
      #expect(await recorder.waitForEnd().error == nil)
    }
  }

  @Test("paused time does not count as idle, and time after it does")
  func idle() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer {
      $0.path == "/large" ? .repeating(7, count: 64 << 20).bodyHeld(until: gate) : .never
    }
    let transport = try CurlTransport()
    let receiver = PausingReceiver()
    let token = transport.start(
      .init(url: "\(server.origin)/large", idleTimeout: TestTimeouts.idle), handler: receiver.receive)
    receiver.attach(token)
    gate.open()
    try await server.log(until: { $0.bytesSent > 0 })
    // Another request's idle timeout, which is longer, elapses.
    let longer = TestTimeouts.idle + .seconds(1)
    #expect(
      await transport.exchange(.init(url: server.origin, idleTimeout: longer)).error
        == .timedOut(after: longer))
    #expect(receiver.recorder.events.errors.isEmpty)
    token.cancel()
    #expect(await receiver.recorder.waitForEnd().error == .cancelled)
  }

  #if os(Linux)
    @Test("a transfer that is resumed again and again takes no memory while the loop is busy")
    func repeatedResumption() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .text("held").held(until: .init()) }
        server.route("/other") { _ in .text("ok") }
        let transport = try CurlTransport()
        let (token, recorder) = transport.record(.init(url: server.origin))
        let held = try #require(token as? any Transfer)
        let other = TransferRecorder()
        let growth = Lock<Int?>(nil)
        let busy = transport.start(TransportRequest(url: "\(server.origin)/other").deliveredOnLoop) { event in
          if case .head = event, let before = ProcessFacts.residentMemory {
            for _ in 0..<400_000 {
              held.pause()
              held.resume()
            }
            growth.withLock { $0 = (ProcessFacts.residentMemory ?? .max) - before }
          }
          other.record(event)
        }
        #expect(await other.waitForEnd().error == nil)
        if let growth = growth.withLock({ $0 }) { #expect(growth < 8 << 20) }
        withExtendedLifetime(busy) {}
        held.cancel()
        #expect(await recorder.waitForEnd().error == .cancelled)
      }
    }
  #endif
}

import Foundation
import Locking
import LoopbackServer
import NetworkCore
import Testing

@Suite("Receivers that have the sender wait", .timeLimit(.minutes(5)))
struct PauseTests {
  /// Pauses its transfer at the first piece.
  private final class PausingReceiver: Sendable {
    private struct State {
      var transfer: (any Transfer)?
      var mustPause = false
      var count = 0
    }

    let recorder = Recorder()
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

  @Test("a receiver that is paused stops the server's sending, and others go on")
  func backpressure() async throws {
    // Nothing may come before the receiver can pause it.
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
    // Long enough for an unhindered sender to be through.
    for _ in 0..<300 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
    #expect(server.log.bytesSent < 64 << 20)
    #expect(receiver.recorder.events.errors.isEmpty)
    // It cannot pause before it has the token.
    #expect((1...(64 << 20)).contains(receiver.count))
    token.cancel()
    #expect(await receiver.recorder.end().error == .cancelled)
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test(
    "what was held back comes whole and in order after resuming", arguments: ["plain", "chunked", "held"])
  func resumes(how: String) async throws {
    let body = ExchangeTests.megabyte
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
    let recorder = Recorder()
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
    let events = await recorder.end()
    #expect(events.error == nil)
    let isWhole = events.body == body
    #expect(isWhole)
    holder.withLock { $0 = nil }
  }

  @Test(
    "after a pause within the handler neither more of the body comes nor its end, until it resumes or is cancelled"
  )
  func within() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try CurlTransport()
    for isCancelled in [false, true] {
      // Nothing may come before the receiver can pause it.
      let gate = LoopbackServer.Gate()
      server.route("/held/\(isCancelled)") { _ in .bytes(ExchangeTests.megabyte).held(until: gate) }
      let holder = Lock<(any Transfer)?>(nil)
      let recorder = Recorder()
      let token = transport.start(.init(url: "\(server.origin)/held/\(isCancelled)")) { event in
        recorder.record(event)
        if case .head = event { holder.withLock { $0 }?.pause() }
      }
      holder.withLock { $0 = token as? any Transfer }
      gate.open()
      await recorder.until { $0.heads == 1 }
      for _ in 0..<20 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
      #expect(recorder.events.pieces.isEmpty)
      #expect(!recorder.events.isOver)
      if isCancelled { token.cancel() } else { holder.withLock { $0 }?.resume() }
      let events = await recorder.end()
      #expect(events.error == (isCancelled ? .cancelled : nil))
      let isWhole = events.body == ExchangeTests.megabyte
      #expect(isWhole != isCancelled)
      holder.withLock { $0 = nil }
    }
  }

  @Test("an end that a pause keeps back comes with the resume, or as a cancel")
  func cancelledEnd() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try CurlTransport()
    for isCancelled in [false, true] {
      // Nothing may come before the receiver can pause it.
      let gate = LoopbackServer.Gate()
      server.route("/held/\(isCancelled)") { _ in .text("whole").held(until: gate) }
      let holder = Lock<(any Transfer)?>(nil)
      let recorder = Recorder()
      let token = transport.start(.init(url: "\(server.origin)/held/\(isCancelled)")) { event in
        recorder.record(event)
        if case .head = event { holder.withLock { $0 }?.pause() }
      }
      holder.withLock { $0 = token as? any Transfer }
      gate.open()
      await recorder.until { $0.heads == 1 }
      // All of the answer has come by now: it is as short as those.
      for _ in 0..<20 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
      #expect(!recorder.events.isOver)
      if isCancelled { token.cancel() } else { holder.withLock { $0 }?.resume() }
      let events = await recorder.end()
      #expect(events.error == (isCancelled ? .cancelled : nil))
      #expect(events.body == Data((isCancelled ? "" : "whole").utf8))
      holder.withLock { $0 = nil }
    }
  }

  @Test("a fast sender's body comes in pieces, none of which takes much memory")
  func pieces() async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: 64 << 20) }
    let transport = try CurlTransport()
    let sizes = Lock((count: 0, largest: 0))
    let recorder = Recorder()
    let token = transport.start(.init(url: server.origin)) { event in
      guard case .body(let piece) = event else { return recorder.record(event) }
      let count = sizes.withLock { sizes in
        sizes = (sizes.count + piece.count, max(sizes.largest, piece.count))
        return sizes.count
      }
      // The sender goes on meanwhile: as far as the smallest buffers of a connection let it.
      _ = try? server.waitUntil { $0.bytesSent >= min(64 << 20, count + 32 << 10) }
    }
    #expect(await recorder.end().error == nil)
    #expect(sizes.withLock { $0.count } == 64 << 20)
    #expect(sizes.withLock { $0.largest } <= 256 << 10)
    withExtendedLifetime(token) {}
  }

  @Test("a transfer of URLSession cannot be paused, and none of its types says so")
  func urlSession() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    for kind in TransportKind.allCases {
      let (transfer, recorder) = try kind.make().record(.init(url: server.origin))
      #expect((transfer is any Transfer) == (kind == .curl))
      #expect(await recorder.end().error == nil)
    }
  }

  @Test("time that is spent paused is not idle, time after it is")
  func idle() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer {
      $0.path == "/large" ? .repeating(7, count: 64 << 20).bodyHeld(until: gate) : .never
    }
    let transport = try CurlTransport()
    let receiver = PausingReceiver()
    let token = transport.start(
      .init(url: "\(server.origin)/large", idleTimeout: TestTime.idle), handler: receiver.receive)
    receiver.attach(token)
    gate.open()
    try await server.log(until: { $0.bytesSent > 0 })
    // Another one's idle time passes, which is longer.
    let longer = TestTime.idle + 1
    #expect(
      await transport.exchange(.init(url: server.origin, idleTimeout: longer)).error
        == .timedOut(after: longer))
    #expect(receiver.recorder.events.errors.isEmpty)
    token.cancel()
    #expect(await receiver.recorder.end().error == .cancelled)
  }
}

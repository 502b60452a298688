import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("A transfer that sends one request after another")
struct TransferSequenceTests {
  /// A transport whose transfers log when they are paused and resumed.
  private struct PausableTransport: Transport {
    var pausesTransfers: Bool { true }
    private final class PausableTransfer: Transfer {
      private let url: String
      private let log: Log

      init(_ url: String, _ log: Log) {
        self.url = url
        self.log = log
      }

      var isCancelled: Bool { false }
      func cancel() { log("\(url) cancelled") }
      func pause() { log("\(url) paused") }
      func resume() { log("\(url) resumed") }
    }

    let log = Log()
    let scripted = ScriptedTransport()

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      _ = scripted.start(request, handler: handler)
      return PausableTransfer(request.url, log)
    }

    func redirect() { scripted.transfers[0].respond(302, headers: ["Location": "/b"]) }
  }

  private let transport = PausableTransport()
  private let recorder = TransferRecorder()

  private func start() throws -> any Transfer {
    let session = Session(transport: transport, redirectHandler: .modify { _, request, _ in request })
    return try #require(session.start(.init(url: "http://h/a"), handler: recorder.record) as? any Transfer)
  }

  @Test("a pause holds for the next request too, until it is resumed")
  func paused() throws {
    let transfer = try start()
    transfer.pause()
    transport.redirect()
    #expect(transport.log.all == ["http://h/a paused", "http://h/b paused"])
    transfer.resume()
    #expect(transport.log.all.dropFirst(2) == ["http://h/b resumed"])
    transport.scripted.transfers[1].respond(204)
    #expect(recorder.events.error == nil)
    #expect(recorder.events.status == 204)
  }

  @Test("a pause that was resumed does not reach the next request")
  func resumed() throws {
    let transfer = try start()
    transfer.pause()
    transfer.resume()
    transport.redirect()
    #expect(transport.log.all == ["http://h/a paused", "http://h/a resumed"])
    #expect(transport.scripted.transfers.count == 2)
    transport.scripted.transfers[1].respond(204)
  }

  @Test("while paused, the body of a redirect that is declined waits, and so does the end")
  func declined() async throws {
    let session = Session(transport: transport, redirectHandler: .modify { _, _, _ in nil })
    let token = session.start(.init(url: "http://h/a"), handler: recorder.record)
    let transfer = try #require(token as? any Transfer)
    transfer.pause()
    transport.scripted.transfers[0].respond(302, headers: ["Location": "/b"], "body")
    #expect(recorder.events.status == 302)
    #expect(recorder.events.pieces.isEmpty)
    #expect(!recorder.events.isOver)
    transfer.resume()
    let events = await recorder.waitForEnd()
    #expect(events.error == nil)
    #expect(events.body == Data("body".utf8))
  }

  @Test("a cancellation ends a declined redirect whose body waits, and the body is not delivered")
  func cancelledWhileHeld() async throws {
    let session = Session(transport: transport, redirectHandler: .modify { _, _, _ in nil })
    let token = session.start(.init(url: "http://h/a"), handler: recorder.record)
    let transfer = try #require(token as? any Transfer)
    transfer.pause()
    transport.scripted.transfers[0].respond(302, headers: ["Location": "/b"], "body")
    #expect(!recorder.events.isOver)
    transfer.cancel()
    #expect(await suspendUntil { recorder.events.isOver })
    #expect(recorder.events.error == .cancelled)
    #expect(recorder.events.pieces.isEmpty)
  }

  @Test("a declined redirect without a body ends although it is paused")
  func declinedWithoutBody() throws {
    let session = Session(transport: transport, redirectHandler: .modify { _, _, _ in nil })
    let token = session.start(.init(url: "http://h/a"), handler: recorder.record)
    let transfer = try #require(token as? any Transfer)
    transfer.pause()
    transport.scripted.transfers[0].respond(302, headers: ["Location": "/b"])
    #expect(recorder.events.isOver)
    #expect(recorder.events.error == nil)
    #expect(recorder.events.status == 302)
  }

  @Test("if a redirect sends the body again, the number of sent bytes does not go back")
  func sentAgain() throws {
    _ = try start()
    transport.scripted.transfers[0].send(.sent(40, of: 100), .sent(80, of: 100))
    transport.redirect()
    transport.scripted.transfers[1].send(.sent(60, of: 100), .sent(80, of: 100), .sent(100, of: 100))
    transport.scripted.transfers[1].respond(204)
    #expect(recorder.events.sent == [40, 80, 100])
  }

  @Test("an observer learns of a redirect before it gets the events of the redirected request")
  func observedRedirect() {
    let wire = ScriptedTransport { transfer in
      transfer.request.observer?.report(.requestSent)
      if transfer.request.url.hasSuffix("/a") {
        transfer.respond(302, headers: ["Location": "/b"])
      } else {
        transfer.respond(204)
      }
    }
    let log = Log()
    var request = TransportRequest(url: "http://h/a")
    request.observer = RequestObservation { event in
      switch event.kind {
      case .requestSent: log("sent")
      case .redirected(let url, let status): log("\(status) \(url)")
      default: log("other")
      }
    }
    let session = Session(transport: wire, redirectHandler: .modify { _, request, _ in request })
    let token = session.start(request, handler: recorder.record)
    #expect(recorder.events.status == 204)
    #expect(log.all == ["sent", "302 http://h/b", "sent"])
    withExtendedLifetime(token) {}
  }

  @Test("after the end, a pause and a cancellation have no effect")
  func over() throws {
    let transfer = try start()
    transport.scripted.transfers[0].respond(204)
    transfer.pause()
    transfer.cancel()
    #expect(transport.log.all.isEmpty)
    #expect(recorder.events.error == nil)
  }

  @Test("a transfer whose redirect is too long is cancelled before the caller gets the error")
  func aborted() {
    let log = transport.log
    let session = Session(transport: transport, redirectHandler: .modify { _, request, _ in request })
    _ = session.start(.init(url: "http://h/a")) { event in
      if case .finished(let error?) = event { log("\(error)") }
    }
    let limit = 1 << 20
    transport.scripted.transfers[0].send(
      .head(ResponseHead(statusCode: 302, url: "http://h/a", headers: ["Location": "/b"])),
      .body(Data(count: limit + 1)))
    #expect(log.all == ["http://h/a cancelled", "\(RedirectPolicy.bodyTooLong)"])
  }
}

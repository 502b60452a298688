internal import Dispatch
internal import Foundation
internal import LoopbackServer
internal import NetworkCoreTransport
internal import ReactiveNetworkLock

extension TransportContract.Check {
  /// More than the buffers of a connection hold.
  private static let large = 32 << 20

  static let upgrades: [Self] = [
    check("after a 101, bytes go both ways, until the server ends the connection") { run, transport in
      run.server.route("/a") { _ in echo }
      let upgrade = run.startUpgrade("/a", over: transport)
      try await run.wait(for: "the head", of: upgrade.started) { $0.head != nil || $0.isOver }
      run.expect(upgrade.started.events.status == 101, upgrade.started.events.summary)
      for word in ["hello", "again"] {
        upgrade.bytes.push([0x81, 0x85, 0, 0, 0, 0] + word.utf8)
        try await run.wait(for: "the echo", of: upgrade.started) { $0.text.hasSuffix(word) || $0.isOver }
      }
      upgrade.bytes.push([0x88, 0x80, 0, 0, 0, 0])
      let events = try await run.end(of: upgrade.started) { $0.ends == [nil] }
      let expected = [0x81, 5] + "hello".utf8 + [0x81, 5] + "again".utf8 + [0x88, 0]
      run.expect(Array(events.body) == expected, "other bytes arrived: \(Array(events.body))")
    },
    check("bytes that the server sends with the 101 are delivered") { run, transport in
      run.server.route("/a") { _ in
        .webSocket { socket in
          socket.send(.text("first"))
          while socket.receive() != nil {}
        }
      }
      let upgrade = run.startUpgrade("/a", over: transport)
      try await run.wait(for: "the message", of: upgrade.started) { $0.text.hasSuffix("first") || $0.isOver }
      let body = Array(upgrade.started.events.body)
      run.expect(body == [0x81, 5] + "first".utf8, "other bytes arrived: \(body)")
      upgrade.started.cancel()
      try await run.end(of: upgrade.started)
    },
    check("an upgraded connection that the server breaks ends the transfer, and carries no other") {
      run, transport in
      run.server.route("/a") { _ in .webSocket { $0.abort() } }
      try await run.end(of: run.startUpgrade("/a", over: transport).started) { $0.ends.count == 1 }
      let other = try await run.exchange("/ok", over: transport)
      run.expect(other.ends == [nil], "another transfer: \(other.summary)")
    },
    check("another response than 101 is a normal response, although the body of the request is open") {
      run, transport in
      run.server.route("/a") { _ in .text("no", status: 403) }
      let events = try await run.end(of: run.startUpgrade("/a", over: transport).started)
      run.expect(events.ends == [nil] && events.status == 403 && events.text == "no", events.summary)
    },
    check("a redirect is followed with the fields of the upgrade") { run, transport in
      run.server.route("/a") { _ in .redirect(to: "/b") }
      run.server.route("/b") { _ in .webSocket { _ in } }
      let upgrade = run.startUpgrade("/a", over: transport)
      try await run.wait(for: "the head", of: upgrade.started) { $0.head != nil || $0.isOver }
      run.expect(upgrade.started.events.status == 101, upgrade.started.events.summary)
      upgrade.started.cancel()
      try await run.end(of: upgrade.started)
    },
    check("the server sees the cancel of an upgraded connection") { run, transport in
      let hasEnded = Lock(false)
      run.server.route("/a") { _ in
        .webSocket { socket in
          while socket.receive() != nil {}
          hasEnded.withLock { $0 = true }
        }
      }
      let upgrade = run.startUpgrade("/a", over: transport)
      try await run.wait(for: "the head", of: upgrade.started) { $0.head != nil || $0.isOver }
      upgrade.started.cancel()
      try await run.end(of: upgrade.started) { $0.error == .cancelled }
      try await run.poll("the server's end") { hasEnded.withLock { $0 } }
    },
    check("a pause makes the server of an upgraded connection wait") { run, transport in
      guard transport.pausesTransfers else { return }
      let hasSent = Lock(false)
      let isPaused = DispatchSemaphore(value: 0)
      run.server.route("/a") { _ in
        .webSocket { socket in
          isPaused.wait()
          socket.send(.binary([UInt8](repeating: 7, count: large)))
          hasSent.withLock { $0 = true }
        }
      }
      let upgrade = run.startUpgrade("/a", over: transport)
      try await run.wait(for: "the head", of: upgrade.started) { $0.head != nil || $0.isOver }
      upgrade.started.transfer?.pause()
      isPaused.signal()
      var seen = -1
      while upgrade.started.events.bodyLength > seen {
        seen = upgrade.started.events.bodyLength
        let other = try await run.exchange("/ok", over: transport)
        run.expect(other.ends == [nil], "another transfer: \(other.summary)")
      }
      run.expect(seen < large && !hasSent.withLock { $0 }, "the server has sent all to a paused receiver")
      upgrade.started.transfer?.resume()
      try await run.wait(for: "the message", of: upgrade.started) { $0.bodyLength > large || $0.isOver }
      upgrade.started.cancel()
      try await run.end(of: upgrade.started)
    },
  ]

  private static var echo: LoopbackServer.Reply {
    .webSocket { socket in
      while let message = socket.receive() { socket.send(message) }
    }
  }

  /// A check that runs only if the transport states that it upgrades connections.
  private static func check(
    _ name: String, _ action: @escaping @Sendable (CheckRun, any Transport) async throws -> Void
  ) -> Self {
    Self(.upgrades, name) { run in
      let transport = try run.transport()
      if transport.upgradesConnections { try await action(run, transport) }
    }
  }
}

/// A request to switch protocols, and the bytes to send afterwards.
private struct Upgrade {
  let started: CheckRun.Started
  let bytes: PushedBytes
}

extension CheckRun {
  /// Starts the handshake of a WebSocket.
  fileprivate func startUpgrade(_ path: String, over transport: any Transport) -> Upgrade {
    let bytes = PushedBytes()
    var request = TransportRequest(url: origin + path)
    request.headers = [
      "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    request.upgradesConnection = true
    request.body = .stream(
      BodyStream(isRepeatable: true) { onBytesAvailable in
        bytes.open(onBytesAvailable)
        return bytes
      })
    return Upgrade(started: start(request, over: transport), bytes: bytes)
  }
}

/// A body without an end, to which a check adds bytes.
private final class PushedBytes: BodyReader, Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var onBytesAvailable: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  func open(_ onBytesAvailable: @escaping @Sendable () -> Void) {
    state.withLock { $0.onBytesAvailable = onBytesAvailable }
  }

  func push(_ bytes: [UInt8]) {
    let wakeUp = state.withLock { state in
      state.bytes += bytes
      return state.onBytesAvailable
    }
    wakeUp?()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    state.withLock { state in
      let count = min(buffer.count, state.bytes.count)
      guard count > 0 else { return nil }
      buffer.copyBytes(from: state.bytes[..<count])
      state.bytes.removeFirst(count)
      return count
    }
  }
}

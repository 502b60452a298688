import Foundation
import LoopbackServer
import ReactiveNetworkLock

/// A server in this process with a room: it sends each line to everyone, ignores repetitions of a line, and
/// drops connections.
final class ChatServer: Sendable {
  private let server: LoopbackServer
  private let room = Room()

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/room") { [room] request in
      guard room.admit() else { return .status(503) }
      let number = request.query("after").flatMap { Int($0) } ?? 0
      return .webSocket { room.serve($0, after: number) }
    }
  }

  var baseURL: URL { server.baseURL }

  /// Waits until all connections have ended, and returns what the server has seen.
  func finish() throws -> (room: RoomState.Log, handshakes: Int) {
    let log = try server.waitUntil { $0.openConnections == 0 }
    return (room.log, log.requestCount)
  }
}

/// The connections of a room.
private final class Room: Sendable {
  private let state = Lock(RoomState())

  var log: RoomState.Log { state.withLock { $0.log } }

  func admit() -> Bool { state.withLock { $0.admit() } }

  func serve(_ socket: LoopbackServer.WebSocket, after number: Int) {
    let id = state.withLock { $0.add(socket, after: number) }
    deliver(to: id)
    while let message = socket.receive() {
      guard case .text(let text) = message,
        let line = try? JSONDecoder().decode(ChatLine.self, from: Data(text.utf8))
      else {
        socket.close(code: 1003, reason: "not a line")
        break
      }
      let endings = state.withLock { $0.receive(line, from: id) }
      for ending in endings {
        if let code = ending.code { ending.socket.close(code: code) } else { ending.socket.abort() }
      }
      for member in state.withLock({ $0.memberIDs }) { deliver(to: member) }
    }
    state.withLock { $0.remove(id) }
  }

  private func deliver(to member: Int) {
    var delivery = state.withLock { $0.startDelivery(to: member) }
    while let current = delivery {
      if let data = try? JSONEncoder().encode(current.line) {
        current.socket.send(.text(String(decoding: data, as: UTF8.self)))
      }
      delivery = state.withLock { $0.nextDelivery(to: member) }
    }
  }
}

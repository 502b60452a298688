import LoopbackServer
import ReactiveNetworkLock

/// What the WebSockets of a program have sent and received.
struct SocketRecord: Sendable {
  /// A connection at the server.
  struct Connection: Sendable {
    /// The texts that the server has received.
    var received: [String] = []
    var isOpen = true
    /// Whether the server has broken it.
    var isBroken = false
    /// Whether the client has sent a close frame.
    var hasClosing = false
    /// Whether the program has received a message over it.
    var isInUse = false
  }

  /// A message of the server: the connection, the topic, and its number among the messages of both.
  struct Message: Sendable {
    let connection: Int
    let topic: String
    let index: Int

    var text: String { "\(connection) \(topic) \(index)" }

    init(_ connection: Int, _ topic: String, _ index: Int) {
      (self.connection, self.topic, self.index) = (connection, topic, index)
    }

    init?(_ text: String) {
      let parts = text.split(separator: " ")
      guard parts.count == 3, let connection = Int(parts[0]), let index = Int(parts[2]) else { return nil }
      self.init(connection, String(parts[1]), index)
    }
  }

  /// The messages of a program over a connection, after which the server or the client closes it.
  static let messages = 3
  /// The server's messages about a topic.
  static let messagesOfTopic = 3

  var connections: [Connection] = []
  /// The number of messages and topics so far.
  var count = 0
  /// The messages that were reported as not sent.
  var unsent: [String] = []
  /// Whether the program has ended, so that nothing may arrive.
  var isOver = false

  /// Returns the text of a new message or topic.
  mutating func next(_ prefix: String) -> String {
    count += 1
    return "\(prefix)\(count)"
  }
}

extension ProgramRecord {
  /// Accepts a WebSocket: greets, confirms each message, and sends three messages about each topic.
  func socketReply(for user: String, breaks: Bool) -> LoopbackServer.Reply {
    .webSocket { socket in
      let number = self.state.withLock { state in
        state.sockets.connections.append(.init())
        return state.sockets.connections.count - 1
      }
      func change(_ change: (inout SocketRecord.Connection) -> Void) {
        self.state.withLock { change(&$0.sockets.connections[number]) }
      }
      func send(_ topic: String, _ index: Int) {
        socket.send(.text(SocketRecord.Message(number, topic, index).text))
      }
      send(user, 0)
      var count = 0
      while case .text(let text)? = socket.receive() {
        change { $0.received.append(text) }
        if breaks {
          change { $0.isBroken = true }
          socket.abort()
        } else if text.hasPrefix("+") {
          for index in 0..<SocketRecord.messagesOfTopic { send(String(text.dropFirst()), index) }
        } else if !text.hasPrefix("-") {
          count += 1
          send(user, count)
          if count == SocketRecord.messages, !self.composition.closesSockets { socket.close(code: 1000) }
        }
      }
      change { ($0.isOpen, $0.hasClosing) = (false, socket.closing != nil) }
    }
  }
}

/// What a subscriber has received over WebSockets, and whether it may follow.
struct ReceivedMessages: Sendable {
  private var past: Set<Int> = []
  private var current: Int?
  private var next: [String: Int] = [:]
  /// The number of messages over the last connection.
  private(set) var count = 0

  /// Adds a message; returns the promise that it breaks.
  ///
  /// The first message of a shared sequence need not be the server's first.
  mutating func add(_ message: SocketRecord.Message, isShared: Bool) -> String? {
    if message.connection != current {
      if let current { past.insert(current) }
      (current, next, count) = (message.connection, [:], 0)
    }
    count += 1
    if past.contains(message.connection) { return "a message of an older connection arrived" }
    let expected = next[message.topic] ?? (isShared ? message.index : 0)
    next[message.topic] = message.index + 1
    return message.index == expected ? nil : "message \(expected) was lost or repeated: \(message.text)"
  }
}

import LoopbackServer

/// The lines of a room, and the people in it.
struct RoomState {
  /// What the server has seen.
  struct Log {
    /// The lines in the order in which everyone receives them.
    var lines: [ChatLine] = []
    /// The number of messages received.
    var received = 0
    /// The number of those that repeated a line of the room.
    var repeated = 0
    /// The number of those that were dropped with their connection.
    var cutOff = 0
    /// The number of connections dropped, and of handshakes refused.
    var dropped = 0
  }

  /// What a thread must send next.
  struct Delivery {
    let socket: LoopbackServer.WebSocket
    let line: RoomLine
  }

  /// How a connection ends.
  struct Ending {
    let socket: LoopbackServer.WebSocket
    /// The code of the close frame; `nil` to end without one.
    let code: UInt16?
  }

  private struct Member {
    let socket: LoopbackServer.WebSocket
    /// The number of lines that have been sent.
    var sent: Int
    /// Whether a thread is sending, because another one must not overtake it.
    var isSending = false
  }

  private(set) var log = Log()
  private var ids: Set<String> = []
  private var members: [Int: Member] = [:]
  private var lastMember = 0
  private var plan = DropPlan()
  private var refusals = 0

  /// The people in the room.
  var memberIDs: [Int] { Array(members.keys) }

  /// Returns `true` if a handshake is accepted.
  mutating func admit() -> Bool {
    guard refusals > 0 else { return true }
    refusals -= 1
    log.dropped += 1
    return false
  }

  /// Adds a person who has received the first lines.
  mutating func add(_ socket: LoopbackServer.WebSocket, after number: Int) -> Int {
    lastMember += 1
    members[lastMember] = Member(socket: socket, sent: min(max(0, number), log.lines.count))
    return lastMember
  }

  mutating func remove(_ id: Int) { members[id] = nil }

  /// Stores a line, unless it is in the room already; returns the connections to end.
  mutating func receive(_ line: ChatLine, from id: Int) -> [Ending] {
    // Nothing counts that a dropped connection still sends.
    guard members[id] != nil else { return [] }
    log.received += 1
    guard !ids.contains(line.id) else {
      log.repeated += 1
      return []
    }
    let drop = plan.next()
    if drop?.storesLine ?? true {
      ids.insert(line.id)
      log.lines.append(line)
    } else {
      log.cutOff += 1
    }
    switch drop {
    case nil: return []
    case .line, .confirmation: return end([id], nil)
    case .listeners: return end(members.keys.filter { $0 != id }, nil)
    case .restart: return end(memberIDs, 1012)
    case .overload:
      refusals += 1
      return end([id], 1013)
    }
  }

  private mutating func end(_ ids: [Int], _ code: UInt16?) -> [Ending] {
    let sockets = ids.compactMap { members.removeValue(forKey: $0)?.socket }
    log.dropped += sockets.count
    return sockets.map { Ending(socket: $0, code: code) }
  }

  /// Returns the first line to send to a person; `nil` if there is none, or if a thread is already sending.
  mutating func startDelivery(to id: Int) -> Delivery? {
    members[id]?.isSending == false ? nextDelivery(to: id) : nil
  }

  /// Returns the next line to send to a person; `nil` if there is none.
  mutating func nextDelivery(to id: Int) -> Delivery? {
    guard var member = members[id] else { return nil }
    member.isSending = member.sent < log.lines.count
    defer { members[id] = member }
    guard member.isSending else { return nil }
    member.sent += 1
    return Delivery(
      socket: member.socket, line: RoomLine(number: member.sent, line: log.lines[member.sent - 1]))
  }
}

import ReactiveNetworkExamples

/// What the people have counted, and what the server has.
struct Summary {
  let people: [Person.Log]
  let room: RoomState.Log
  /// The number of handshakes that the server has received.
  let handshakes: Int

  var text: String {
    let stored = room.lines.count
    return """
      \(total(\.said.count).counted("line")) said, \(sent) sent (server saw \(room.received): \(stored) new, \
      \(room.repeated) repeated, \(room.cutOff) cut off), \(total(\.delivered.count)) delivered (server stored \
      \(stored) for \(people.count) people), \(lostConnections) of \(connections) connections lost (server dropped \
      \(room.dropped) of \(handshakes)); \(lost == 0 ? "nothing" : "\(lost)") lost, \
      \(twice == 0 ? "nothing" : "\(twice)") twice
      """
  }

  /// Returns a line for each contradiction between the people and the server.
  var disagreements: [String] {
    var found: [String] = []
    if lost > 0 { found.append("\(lost.counted("line")) lost") }
    if twice > 0 { found.append("\(twice.counted("line")) arrived twice") }
    for person in people where !room.lines.starts(with: person.delivered.map(\.line)) {
      found.append("the lines differ from the room's, or have another order")
    }
    // The server need not have seen what was sent over a connection that it dropped.
    if room.received > sent { found.append("\(room.received) messages seen, but \(sent) sent") }
    if room.received != room.lines.count + room.repeated + room.cutOff {
      found.append("\(room.received) messages seen, but others stored")
    }
    if room.dropped != lostConnections {
      found.append("\(room.dropped) connections dropped, but \(lostConnections) lost")
    }
    // A chat that ends before anyone has said anything may end before its handshakes are sent.
    if handshakes > connections || handshakes < connections && !room.lines.isEmpty {
      found.append("\(handshakes) handshakes seen, but \(connections) begun")
    }
    return found
  }

  private var sent: Int { total(\.sent) }
  private var connections: Int { total(\.connections) }
  private var lostConnections: Int { total(\.lost) }

  private func total(_ count: KeyPath<Person.Log, Int>) -> Int {
    people.reduce(0) { $0 + $1[keyPath: count] }
  }

  /// The number of lines that were said but not stored, and of those that a person has not received.
  private var lost: Int {
    let said = people.flatMap(\.said)
    return Set(said).subtracting(room.lines).count
      + people.reduce(0) { $0 + Set(room.lines).subtracting($1.delivered.map(\.line)).count }
  }

  /// The number of lines that were stored again, and of those that a person has received again.
  private var twice: Int {
    ([room.lines] + people.map { $0.delivered.map(\.line) }).reduce(0) { $0 + $1.count - Set($1).count }
  }
}

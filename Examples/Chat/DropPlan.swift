/// Decides which lines cost the room connections.
struct DropPlan {
  enum Drop: CaseIterable {
    /// Cuts the sender's connection before the line is stored.
    case line
    /// Cuts the sender's connection after the line is stored, and before it is confirmed.
    case confirmation
    /// Cuts the connections of all other people before they receive the line.
    case listeners
    /// Closes all connections with 1012, before anyone receives the line: the service restarts.
    case restart
    /// Closes the sender's connection with 1013 before the line is stored, and refuses the next handshake.
    case overload

    var storesLine: Bool { self != .line && self != .overload }
  }

  /// Every so many lines, there is a drop; more than 1, so that a repeated line is stored.
  private static let interval = 3

  private var lines = 0

  /// Returns the drop for the next line.
  mutating func next() -> Drop? {
    lines += 1
    guard lines.isMultiple(of: Self.interval) else { return nil }
    return Drop.allCases[(lines / Self.interval - 1) % Drop.allCases.count]
  }
}

extension LoopbackServer.Reply {
  /// Delays the head by a duration.
  public func delayed(by duration: Duration) -> Self {
    with { $0.headPauses.append(.time(duration)) }
  }

  /// Holds the whole response back, including its head, until a gate is open.
  public func held(until gate: LoopbackServer.Gate) -> Self {
    with { $0.headPauses.append(.gate(gate)) }
  }

  /// Pauses for a duration after the head and the first `count` bytes of the body.
  public func bodyDelayed(by duration: Duration, after count: Int = 0) -> Self {
    with { $0.bodyPauses.append((count, .time(duration))) }
  }

  /// Pauses after the head and the first `count` bytes of the body until a gate is open.
  public func bodyHeld(until gate: LoopbackServer.Gate, after count: Int = 0) -> Self {
    with { $0.bodyPauses.append((count, .gate(gate))) }
  }

  /// Sends the body in pieces of `chunk` bytes, 1 or more, with a pause between two pieces.
  public func trickled(chunk: Int, every interval: Duration) -> Self {
    with { $0.pace = (max(1, chunk), interval) }
  }

  /// Breaks the response off after the first `count` bytes of the head or the body, and ends the connection.
  ///
  /// With `.head`, the body is not sent at all. In a chunked body only the bytes of the body itself count, so
  /// a count that is not a multiple of the chunk size breaks off in the middle of a chunk.
  public func truncated(after count: Int, of part: Part = .body, by ending: Ending = .close) -> Self {
    with { $0.truncation = Truncation(part: part, offset: max(0, count), ending: ending) }
  }
}

extension LoopbackServer.Reply {
  /// Waits for that long before the head is sent.
  public func delayed(by duration: Duration) -> Self {
    with { $0.headPauses.append(.time(duration)) }
  }

  /// Holds the answer back, head and all, until a gate is open.
  public func held(until gate: LoopbackServer.Gate) -> Self {
    with { $0.headPauses.append(.gate(gate)) }
  }

  /// Waits for that long behind the head and the first `count` bytes of the body.
  public func bodyDelayed(by duration: Duration, after count: Int = 0) -> Self {
    with { $0.bodyPauses.append((count, .time(duration))) }
  }

  /// Holds the rest back behind the head and the first `count` bytes of the body, until a gate is open.
  public func bodyHeld(until gate: LoopbackServer.Gate, after count: Int = 0) -> Self {
    with { $0.bodyPauses.append((count, .gate(gate))) }
  }

  /// Sends the body in pieces of `chunk` bytes, 1 or more, with a wait between two pieces.
  public func trickled(chunk: Int, every interval: Duration) -> Self {
    with { $0.pace = (max(1, chunk), interval) }
  }

  /// Breaks the answer off behind the first `count` bytes of the head or of the body, and ends the connection.
  ///
  /// With `.head` the body is not sent at all. In a chunked body only the body's own bytes count, so that a number
  /// that is no multiple of the chunk size cuts a chunk off.
  public func truncated(after count: Int, of part: Part = .body, by ending: Ending = .close) -> Self {
    with { $0.cut = Cut(part: part, offset: max(0, count), ending: ending) }
  }
}

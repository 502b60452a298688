extension LoopbackServer.Reply {
  /// Waits before the head is sent.
  ///
  /// - Parameter duration: how long.
  public func delayed(by duration: Duration) -> Self {
    with { $0.headPauses.append(.time(duration)) }
  }

  /// Holds the answer back until a gate is open.
  ///
  /// - Parameter gate: the gate.
  public func held(until gate: LoopbackServer.Gate) -> Self {
    with { $0.headPauses.append(.gate(gate)) }
  }

  /// Waits within the body.
  ///
  /// - Parameters:
  ///   - duration: how long.
  ///   - count: how many bytes of the body are sent before.
  public func bodyDelayed(by duration: Duration, after count: Int = 0) -> Self {
    with { $0.bodyPauses.append((count, .time(duration))) }
  }

  /// Holds the body back until a gate is open.
  ///
  /// - Parameters:
  ///   - gate: the gate.
  ///   - count: how many bytes of the body are sent before.
  public func bodyHeld(until gate: LoopbackServer.Gate, after count: Int = 0) -> Self {
    with { $0.bodyPauses.append((count, .gate(gate))) }
  }

  /// Sends the body piece by piece, with a wait between two pieces.
  ///
  /// - Parameters:
  ///   - chunk: the size of a piece in bytes, 1 or more.
  ///   - interval: how long to wait.
  public func trickled(chunk: Int, every interval: Duration) -> Self {
    with { $0.pace = (max(1, chunk), interval) }
  }

  /// Breaks the answer off and ends the connection.
  ///
  /// - Parameters:
  ///   - count: how many bytes of the part are sent; with `.head` the body is not sent at all.
  ///   - part: what the bytes are counted in.
  ///   - ending: how the connection ends.
  public func truncated(after count: Int, of part: Part = .body, by ending: Ending = .close) -> Self {
    with { $0.cut = Cut(part: part, offset: max(0, count), ending: ending) }
  }
}

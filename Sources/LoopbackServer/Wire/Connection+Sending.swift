extension Connection {
  /// How long the server waits for a peer to end its side after it has ended its own.
  private static let drainTime = Duration.seconds(2)
  private static let blockSize = 65_536
  /// After so many blocks the other connections have their turn.
  private static let blocksPerTurn = 16

  enum Flushed {
    case all
    case blocked
    case closed
  }

  /// Sends the answer as far as it goes; returns whether there is nothing left to send.
  func pump() -> Bool {
    guard exchange != nil else { return flush(completing: nil) == .all }
    for _ in 0..<Self.blocksPerTurn where !isPaused {
      fill()
      guard let step = exchange?.next else {
        guard flush(completing: nil) == .all else { return false }
        continue
      }
      var completed: Script.End?
      if case .end(let end) = step { completed = end }
      guard flush(completing: completed) == .all else { return false }
      exchange?.next = nil
      switch step {
      case .more: break
      case .pause(let pause): self.pause(pause)
      case .end(.whole(let closes)):
        exchange = nil
        if closes { end(.close) }
        return phase == .serving
      case .end(.brokenOff(let ending)):
        exchange = nil
        end(ending)
        return false
      }
    }
    // Out of turns, not of output: come back at once.
    if !isPaused { loop.wake(self, at: monotonicNow() + 1, pause: pauseCount) }
    return false
  }

  /// Goes on after the pause of that number.
  func resume(pause: Int) {
    guard pause == pauseCount else { return }
    switch phase {
    case .closed: return
    case .draining: peerClosed()
    case .serving:
      isPaused = false
      heldBy = nil
      advance()
    }
  }

  /// Ends the server's side of the connection.
  func end(_ ending: LoopbackServer.Reply.Ending) {
    switch ending {
    case .reset:
      release()
      loop.core.logBook.record { $0.openConnections -= 1 }
      loop.remove(self)
      socket.reset()
    case .close:
      // Closing while the peer still sends would make the system reset the connection, and the peer might
      // lose what it has not read yet.
      phase = .draining
      output = []
      outputStart = 0
      socket.endSending()
      pauseCount += 1
      loop.wake(self, at: monotonicNow().adding(Self.drainTime), pause: pauseCount)
      updateInterest()
    }
  }

  /// Sends what is there; counts the answer in the same breath as its last byte goes out.
  func flush(completing end: Script.End?) -> Flushed {
    while true {
      let (result, left) = loop.core.logBook.record { log -> (Transferred, Int) in
        var left = output.count - outputStart
        var result = Transferred.bytes(0)
        if left > 0 {
          result = socket.send(output[outputStart...])
          if case .bytes(let count) = result {
            log.bytesSent += count
            left -= count
          }
        }
        if left == 0, let end { count(end, in: &log) }
        return (result, left)
      }
      switch result {
      case .bytes(let count):
        outputStart += count
        exchange?.bytesSent += count
      case .wouldBlock: return .blocked
      case .closed:
        peerClosed()
        return .closed
      }
      guard left == 0 else { continue }
      output.removeAll(keepingCapacity: output.capacity <= 4 * Self.blockSize)
      outputStart = 0
      return .all
    }
  }

  private func count(_ end: Script.End, in log: inout LoopbackServer.Log) {
    log.pending -= 1
    switch end {
    case .whole: log.answered += 1
    case .brokenOff: log.brokenOff += 1
    }
  }

  /// Makes bytes until there is a block of them or something else comes first.
  private func fill() {
    while exchange?.next == nil, output.count - outputStart < Self.blockSize {
      guard let step = exchange?.script.next(into: &output) else { return }
      if case .more = step { continue }
      exchange?.next = step
    }
  }

  private func pause(_ pause: LoopbackServer.Reply.Pause) {
    pauseCount += 1
    switch pause {
    case .forever:
      isPaused = true
    case .time(let duration):
      isPaused = true
      loop.wake(self, at: monotonicNow().adding(duration), pause: pauseCount)
    case .gate(let gate):
      let token = gate.wait { [mailbox = loop.core.mailbox, id, pauseCount] in
        mailbox.post(.gateOpened(connection: id, pause: pauseCount))
      }
      isPaused = token != nil
      heldBy = token.map { (gate, $0) }
    }
  }
}

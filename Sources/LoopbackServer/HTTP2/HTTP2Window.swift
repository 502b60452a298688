/// The bytes of bodies that a client may not replace by further ones until a gate is open.
struct HTTP2Window {
  private var wait: (number: Int, isPaused: Bool, gate: Connection.GateWait?)?
  private var held: [Int32: Int] = [:]

  mutating func hold(until wait: (number: Int, isPaused: Bool, gate: Connection.GateWait?)) {
    if wait.isPaused { self.wait = wait }
  }

  /// Holds bytes of a stream; returns `false` if nothing is held any longer.
  mutating func hold(_ count: Int, of stream: Int32) -> Bool {
    if wait != nil { held[stream, default: 0] += count }
    return wait != nil
  }

  /// Returns the numbers of bytes by stream if the window's pause has ended.
  mutating func release(pause: Int) -> [Int32: Int]? {
    guard wait?.number == pause else { return nil }
    wait = nil
    return exchange(&held, with: [:])
  }

  mutating func cancel() {
    if let gate = wait?.gate { gate.gate.cancel(gate.token) }
    wait = nil
  }
}

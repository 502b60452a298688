extension LoopbackServer {
  /// The reason why waiting for the log ended before the condition was met.
  public enum WaitError: Error, Sendable, Hashable {
    /// The timeout elapsed.
    case timedOut(after: Duration, log: Log)
    /// The server had stopped, or stopped during the wait.
    case stopped(log: Log)
    /// The waiting task was cancelled.
    case cancelled(log: Log)
    /// The call came from the server's own thread, which writes the log and must not block.
    case calledByHandler
  }

  /// Blocks the calling thread until the log fulfils a condition.
  ///
  /// - Parameters:
  ///   - timeout: the longest time to wait; one minute by default, because tasks may wait long to be
  ///     scheduled on a busy machine.
  ///   - condition: inspects the log on the calling thread, first at once and then after changes; several
  ///     changes in quick succession may be seen as one.
  /// - Returns: the log that fulfils the condition.
  /// - Throws: `WaitError`, with the last state of the log.
  @discardableResult
  public func waitUntil(
    timeout: Duration = .seconds(60), _ condition: (Log) -> Bool
  ) throws(WaitError) -> Log {
    guard !state.messages.isOnServerThread else { throw .calledByHandler }
    let deadline = monotonicNow().adding(timeout)
    let pipe = try? WakePipe()
    let token = state.logStore.add(
      .init(deadline: .max, signal: { pipe?.wake() }, expire: { pipe?.wake() }))
    defer { if let token { state.logStore.remove(token) } }
    while true {
      let (log, isClosed) = state.logStore.snapshot
      if condition(log) { return log }
      if isClosed { throw .stopped(log: log) }
      let now = monotonicNow()
      guard now < deadline else { throw .timedOut(after: timeout, log: log) }
      // If no descriptor is left for a pipe, fall back to polling every few milliseconds.
      if let pipe { pipe.wait(nanoseconds: deadline - now) } else { pause(nanoseconds: 5_000_000) }
    }
  }

  /// Suspends until the log fulfils a condition, and returns that log.
  ///
  /// - Parameters:
  ///   - timeout: the longest time to wait; one minute by default, because tasks may wait long to be
  ///     scheduled on a busy machine.
  ///   - condition: inspects the log, first at once and then after changes; several changes in quick
  ///     succession may be seen as one.
  /// - Returns: the log that fulfils the condition.
  /// - Throws: `WaitError`, with the last state of the log.
  @discardableResult
  public func log(
    timeout: Duration = .seconds(60), until condition: @Sendable (Log) -> Bool
  ) async throws(WaitError) -> Log {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let token = state.logStore.add(
      .init(
        deadline: monotonicNow().adding(timeout), signal: { continuation.yield() },
        expire: { continuation.finish() }))
    defer { if let token { state.logStore.remove(token) } }
    state.messages.wake()
    if token == nil { continuation.finish() }
    let first = log
    if condition(first) { return first }
    for await _ in changes {
      let log = log
      if condition(log) { return log }
    }
    let (last, isClosed) = state.logStore.snapshot
    if condition(last) { return last }
    if isClosed { throw .stopped(log: last) }
    throw Task.isCancelled ? .cancelled(log: last) : .timedOut(after: timeout, log: last)
  }
}

extension LoopbackServer.WaitError: CustomStringConvertible {
  /// A description of the error, with the log at that time.
  public var description: String {
    switch self {
    case .timedOut(let duration, let log): "The condition was not met within \(duration). The log: \(log)"
    case .stopped(let log): "The server stopped before the condition was met. The log: \(log)"
    case .cancelled(let log): "The task was cancelled before the condition was met. The log: \(log)"
    case .calledByHandler: "A handler cannot wait for the log: it runs on the thread that writes it."
    }
  }
}

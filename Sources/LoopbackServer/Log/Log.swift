extension LoopbackServer {
  /// A snapshot of what a server has seen; it does not change any more.
  public struct Log: Sendable, Hashable {
    /// The requests received in full, in order; a pipelined request is added when the answer before it is
    /// complete.
    ///
    /// At most `Options.keptRequests` are kept.
    public internal(set) var requests: [Request] = []
    /// The number of requests received in full, including those that `requests` no longer keeps.
    public internal(set) var requestCount = 0
    /// The number of requests whose answer is not complete yet.
    public internal(set) var pending = 0
    /// The number of answers that have been handed to the system in full.
    public internal(set) var answered = 0
    /// The number of answers that the server itself broke off, because the reply said so or because it
    /// stopped.
    public internal(set) var brokenOff = 0
    /// The requests whose peer closed the connection before the answer was complete.
    public internal(set) var abandoned: [Abandonment] = []
    /// The number of requests that were refused as malformed or too large.
    public internal(set) var rejected = 0
    /// The number of connections that were accepted.
    public internal(set) var connectionsAccepted = 0
    /// The number of open connections.
    public internal(set) var openConnections = 0
    /// The largest number of connections that were open at the same time.
    public internal(set) var peakConnections = 0
    /// The number of bytes received.
    public internal(set) var bytesReceived = 0
    /// The number of bytes sent.
    public internal(set) var bytesSent = 0
  }

  /// A request whose peer closed the connection before the answer was complete.
  public struct Abandonment: Sendable, Hashable {
    /// What the server was doing when the peer closed.
    public enum Phase: Sendable, Hashable {
      /// Receiving the body of the request; `request` holds the part that had arrived.
      case receiving
      /// Waiting to answer: no byte of the answer had been sent.
      case waiting
      /// Sending the answer.
      case sending
    }

    /// The request.
    public let request: Request
    /// What the server was doing when the peer closed.
    public let phase: Phase
    /// The number of bytes of the answer that had been handed to the system, head included.
    public let bytesSent: Int
  }
}

extension LoopbackServer.Log: CustomStringConvertible {
  /// The counters and the last requests.
  public var description: String {
    let last = requests.suffix(10).map { "\($0.method) \($0.target)" }.joined(separator: ", ")
    return """
      \(requestCount) requests, \(pending) pending, \(answered) answered, \(brokenOff) broken off, \
      \(abandoned.count) abandoned, \(rejected) rejected; \(connectionsAccepted) connections accepted, \
      \(openConnections) open; \(bytesReceived) bytes received, \(bytesSent) sent; last requests: [\(last)]
      """
  }
}

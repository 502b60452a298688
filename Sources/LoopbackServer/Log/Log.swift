extension LoopbackServer {
  /// What a server has seen up to a moment: a value that does not change any more.
  public struct Log: Sendable, Hashable {
    /// The requests that have come whole, in order; a pipelined one once the answer before it is whole.
    ///
    /// At most `Options.keptRequests` are kept.
    public internal(set) var requests: [Request] = []
    /// How many requests have come whole, also those that `requests` no longer keeps.
    public internal(set) var requestCount = 0
    /// How many requests wait for an answer, or for the rest of it.
    public internal(set) var pending = 0
    /// How many answers have been handed to the system whole.
    public internal(set) var answered = 0
    /// How many answers the server itself broke off, because the reply said so or because it stopped.
    public internal(set) var brokenOff = 0
    /// The requests whose peer closed the connection before the answer was whole.
    public internal(set) var abandoned: [Abandonment] = []
    /// How many requests were refused as malformed or too large.
    public internal(set) var rejected = 0
    /// How many connections were accepted.
    public internal(set) var connectionsAccepted = 0
    /// How many connections are open.
    public internal(set) var openConnections = 0
    /// How many connections were open at the same time at most.
    public internal(set) var peakConnections = 0
    /// How many bytes were received.
    public internal(set) var bytesReceived = 0
    /// How many bytes were sent.
    public internal(set) var bytesSent = 0
  }

  /// A request whose peer closed the connection before the answer was whole.
  public struct Abandonment: Sendable, Hashable {
    /// What the server was doing when the peer closed.
    public enum Phase: Sendable, Hashable {
      /// Receiving the body of the request; `request` holds what had come of it.
      case receiving
      /// Waiting to answer: nothing of the answer had been sent.
      case waiting
      /// Sending the answer.
      case sending
    }

    /// The request.
    public let request: Request
    /// What the server was doing when the peer closed.
    public let phase: Phase
    /// How many bytes of the answer had been handed to the system, head included.
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

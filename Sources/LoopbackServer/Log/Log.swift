extension LoopbackServer {
  /// A snapshot of the requests and connections of a server; it does not change afterwards.
  public struct Log: Sendable, Hashable {
    /// The requests received in full, in order; a pipelined request is added when the response before it is
    /// complete.
    ///
    /// At most `Options.keptRequests` are kept.
    public internal(set) var requests: [Request] = []
    /// The number of requests received in full, including those that `requests` no longer keeps.
    public internal(set) var requestCount = 0
    /// The number of requests whose response is not complete yet.
    public internal(set) var pending = 0
    /// The number of responses that have been passed to the system in full.
    public internal(set) var answered = 0
    /// The number of responses that the server itself broke off, because of the reply or because it stopped.
    public internal(set) var brokenOff = 0
    /// The requests whose peer closed the connection before the response was complete.
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

  /// A request whose peer closed the connection before the response was complete.
  public struct Abandonment: Sendable, Hashable {
    /// The activity of the server when the peer closed the connection.
    public enum Phase: Sendable, Hashable {
      /// Receiving the body of the request; `request` holds the part that had arrived.
      case receiving
      /// Waiting to respond: no byte of the response had been sent.
      case waiting
      /// Sending the response.
      case sending
    }

    /// The request.
    public let request: Request
    /// The activity of the server when the peer closed the connection.
    public let phase: Phase
    /// The number of bytes of the response that had been passed to the system, head included.
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

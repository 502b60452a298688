import struct Foundation.Data

extension LoopbackServer {
  /// A snapshot of the requests and connections of a server; it does not change afterwards.
  public struct Log: Sendable, Hashable {
    /// The requests received in full, in order; a pipelined request is added when the response before it is
    /// complete.
    ///
    /// At most `Options.keptRequests` are kept.
    public internal(set) var requests: [Request] = []
    /// The number of requests received in full, including those that `requests` does not keep.
    public internal(set) var requestCount = 0
    /// The number of requests whose response is not complete yet.
    public internal(set) var pending = 0
    /// The number of responses that have been passed to the system in full; a WebSocket counts when it has ended.
    public internal(set) var answered = 0
    /// The number of responses that the server itself broke off, because of the reply or because it stopped.
    public internal(set) var brokenOff = 0
    /// The requests whose peer closed the connection before the response was complete.
    ///
    /// At most 100,000 are kept.
    public internal(set) var abandoned: [Abandonment] = []
    /// The number of requests whose peer closed the connection, including those that `abandoned` does not
    /// keep.
    public internal(set) var abandonedCount = 0
    /// Why TLS handshakes failed, in OpenSSL's words; at most 1,000 are kept.
    public internal(set) var failedHandshakes: [String] = []
    /// The system call whose failure has stopped the server; `nil` if none has.
    public internal(set) var failure: SystemError?
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
    /// The number of bytes of the bodies in the log.
    private var bodyBytes = 0

    mutating func keep(_ request: Request, _ options: Options) {
      if requests.count < options.keptRequests { requests.append(fitting(request, options)) }
    }

    /// Notes that the server has broken off a response, if it has begun.
    mutating func noteBrokenOff(_ exchange: Connection.Exchange?) {
      guard exchange != nil else { return }
      pending -= 1
      brokenOff += 1
    }

    /// Notes that the peer has left before the response was complete, which `exchange` is if it has begun.
    mutating func noteAbandonment(_ request: Request, _ exchange: Connection.Exchange?, _ options: Options) {
      if exchange != nil { pending -= 1 }
      abandonedCount += 1
      guard abandoned.count < 100_000 else { return }
      let bytesSent = exchange?.bytesSent ?? 0
      abandoned.append(
        Abandonment(
          request: fitting(request, options),
          phase: exchange == nil ? .receiving : bytesSent == 0 ? .waiting : .sending, bytesSent: bytesSent))
    }

    mutating func noteFailedHandshake(_ reason: String) {
      if failedHandshakes.count < 1000 { failedHandshakes.append(reason) }
    }

    /// Returns the request, without its body if the log has no room for it.
    private mutating func fitting(_ request: Request, _ options: Options) -> Request {
      guard request.body.count > options.keptLogBytes - bodyBytes else {
        bodyBytes += request.body.count
        return request
      }
      var entry = request
      entry.body = Data()
      return entry
    }
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
      \(abandonedCount) abandoned, \(rejected) rejected; \(connectionsAccepted) connections accepted, \
      \(openConnections) open; \(bytesReceived) bytes received, \(bytesSent) sent; last requests: [\(last)]\
      \(failedHandshakes.last.map { "; last failed handshake: \($0)" } ?? "")\
      \(failure.map { "; stopped by \($0)" } ?? "")
      """
  }
}

/// The connections and requests of a transport at one moment, and the bytes that it has transferred so far.
///
/// ```swift
/// let gauges = try CurlTransport.shared.gauges
/// print(gauges.requestsInFlight, gauges.connections["https://api.github.com"]?.idle ?? 0)
/// ```
public struct TransportGauges: Sendable, Hashable {
  /// The connections to one origin.
  public struct Connections: Sendable, Hashable {
    /// The number of connections, including those that are not fully open yet.
    public var open: Int
    /// The number of connections that carry no request and are kept for later requests.
    public var idle: Int

    /// Creates a count of connections.
    ///
    /// - Parameters:
    ///   - open: the number of connections.
    ///   - idle: the number of connections that carry no request.
    public init(open: Int = 0, idle: Int = 0) {
      self.open = open
      self.idle = idle
    }
  }

  /// The connections by the origin for which they were opened, such as `https://example.com` or
  /// `http://127.0.0.1:8080`; origins without connections are absent.
  ///
  /// A connection to a proxy counts for the origin of its first request.
  public var connections: [String: Connections]
  /// The number of requests that are being sent or whose response is pending.
  ///
  /// It includes requests that wait for one of a limited number of connections
  /// (`CurlConfiguration.connections`), because libcurl does not distinguish them.
  public var requestsInFlight: Int
  /// The number of requests that wait for a stream of an HTTP/2 or HTTP/3 connection, or for the opening of a
  /// file.
  public var requestsWaiting: Int
  /// The number of requests in flight that use a stream of an HTTP/2 or HTTP/3 connection.
  public var streams: Int
  /// The number of bytes of request bodies that have been sent since the transport was created.
  public var bodyBytesSent: Int64
  /// The number of bytes of response bodies that have been received since the transport was created, before
  /// decompression.
  public var bodyBytesReceived: Int64

  /// Creates gauges.
  ///
  /// - Parameters:
  ///   - connections: the connections by origin.
  ///   - requestsInFlight: the number of requests that are being sent or whose response is pending.
  ///   - requestsWaiting: the number of requests that wait for a stream or a file.
  ///   - streams: the number of requests in flight that use a stream.
  ///   - bodyBytesSent: the number of bytes of request bodies that have been sent.
  ///   - bodyBytesReceived: the number of bytes of response bodies that have been received.
  public init(
    connections: [String: Connections] = [:], requestsInFlight: Int = 0, requestsWaiting: Int = 0,
    streams: Int = 0, bodyBytesSent: Int64 = 0, bodyBytesReceived: Int64 = 0
  ) {
    self.connections = connections
    self.requestsInFlight = requestsInFlight
    self.requestsWaiting = requestsWaiting
    self.streams = streams
    self.bodyBytesSent = bodyBytesSent
    self.bodyBytesReceived = bodyBytesReceived
  }

  /// The number of connections to all origins.
  public var openConnections: Int { connections.values.reduce(0) { $0 + $1.open } }

  /// The number of connections, to all origins, that carry no request.
  public var idleConnections: Int { connections.values.reduce(0) { $0 + $1.idle } }

  /// Adds the gauges of another part of the transport.
  package mutating func add(_ other: TransportGauges) {
    connections.merge(other.connections) { Connections(open: $0.open + $1.open, idle: $0.idle + $1.idle) }
    requestsInFlight += other.requestsInFlight
    requestsWaiting += other.requestsWaiting
    streams += other.streams
    bodyBytesSent += other.bodyBytesSent
    bodyBytesReceived += other.bodyBytesReceived
  }
}

/// The name of an attribute or metric in OpenTelemetry's semantic conventions for HTTP clients.
///
/// Source: OpenTelemetry Semantic Conventions 1.29, "HTTP Spans" and "HTTP Metrics".
public struct TelemetryAttribute: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The name, such as `http.request.method`.
  public let rawValue: String

  /// Creates a name.
  ///
  /// - Parameter rawValue: the name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The name.
  public var description: String { rawValue }

  /// The method; `_OTHER` for a method other than those of RFC 9110 and PATCH.
  public static let requestMethod = Self(rawValue: "http.request.method")
  /// The method as sent, if `requestMethod` is `_OTHER`.
  public static let requestMethodOriginal = Self(rawValue: "http.request.method_original")
  /// The number of times that the request was sent again, for any reason.
  public static let resendCount = Self(rawValue: "http.request.resend_count")
  /// The status of the response.
  public static let statusCode = Self(rawValue: "http.response.status_code")
  /// The number of bytes of the request body as sent.
  public static let requestBodySize = Self(rawValue: "http.request.body.size")
  /// The number of bytes of the response body as received.
  public static let responseBodySize = Self(rawValue: "http.response.body.size")
  /// The URL, without credentials and secret parameters.
  public static let url = Self(rawValue: "url.full")
  /// The scheme of the URL.
  public static let scheme = Self(rawValue: "url.scheme")
  /// The host of the URL.
  public static let serverAddress = Self(rawValue: "server.address")
  /// The port of the URL.
  public static let serverPort = Self(rawValue: "server.port")
  /// The address at the other end of the connection.
  public static let peerAddress = Self(rawValue: "network.peer.address")
  /// The port at the other end of the connection.
  public static let peerPort = Self(rawValue: "network.peer.port")
  /// The protocol, always `http`.
  public static let protocolName = Self(rawValue: "network.protocol.name")
  /// The version of the protocol: `1.0`, `1.1`, `2` or `3`.
  public static let protocolVersion = Self(rawValue: "network.protocol.version")
  /// The version of TLS, such as `1.3`.
  public static let tlsVersion = Self(rawValue: "tls.protocol.version")
  /// The kind of error: a status of 400 or more or that the validation rejects, `cancelled`, or the name of an
  /// error's case or type.
  public static let errorType = Self(rawValue: "error.type")
  /// The state of a connection, `active` or `idle`, for the metric `openConnections`.
  public static let connectionState = Self(rawValue: "http.connection.state")

  /// The metric for the duration of requests in seconds.
  public static let requestDuration = Self(rawValue: "http.client.request.duration")
  /// The metric for the number of requests in flight.
  public static let activeRequests = Self(rawValue: "http.client.active_requests")
  /// The metric for the number of connections by state.
  public static let openConnections = Self(rawValue: "http.client.open_connections")
}

/// The value of an attribute.
public enum TelemetryValue: Sendable, Hashable, CustomStringConvertible {
  /// A string.
  case string(String)
  /// An integer.
  case int(Int)

  /// The value as text.
  public var description: String {
    switch self {
    case .string(let text): text
    case .int(let number): "\(number)"
    }
  }
}

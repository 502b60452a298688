/// The reason for which one side closes a WebSocket (RFC 6455, section 7.4).
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
  /// The number; 1000 to 4999 in a valid close frame.
  public let rawValue: UInt16

  /// Creates a code.
  ///
  /// - Parameter rawValue: the number; 3000 to 3999 are registered, 4000 to 4999 are an application's own.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// 1000: the purpose of the connection is fulfilled.
  public static let normalClosure = Self(rawValue: 1000)
  /// 1001: the server shuts down, or the client moves on.
  public static let goingAway = Self(rawValue: 1001)
  /// 1002: the other side has violated the protocol.
  public static let protocolError = Self(rawValue: 1002)
  /// 1003: messages of this type are not accepted.
  public static let unsupportedData = Self(rawValue: 1003)
  /// 1007: the content of a message is invalid, such as text that is not UTF-8.
  public static let invalidPayload = Self(rawValue: 1007)
  /// 1008: a message violates the rules of the service.
  public static let policyViolation = Self(rawValue: 1008)
  /// 1009: a message is too long.
  public static let messageTooBig = Self(rawValue: 1009)
  /// 1010: the client requires an extension that the server did not accept.
  public static let mandatoryExtension = Self(rawValue: 1010)
  /// 1011: an unexpected condition prevents the server from continuing.
  public static let internalError = Self(rawValue: 1011)
  /// 1012: the service restarts.
  public static let serviceRestart = Self(rawValue: 1012)
  /// 1013: the service is overloaded.
  public static let tryAgainLater = Self(rawValue: 1013)

  /// Whether a close frame may contain the code (RFC 6455, section 7.4.2, and the registry of IANA).
  var isValidInFrame: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

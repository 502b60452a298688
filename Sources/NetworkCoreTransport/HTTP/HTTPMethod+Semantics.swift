extension HTTPMethod {
  /// Whether the method is safe: it requests no change of state on the server (RFC 9110, section 9.2.1).
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace, .query: true
    default: false
    }
  }

  /// Whether sending the request twice has the effect of sending it once (RFC 9110, section 9.2.2).
  package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

  /// Whether a request without content states this with `Content-Length: 0` (RFC 9110, section 8.6).
  var anticipatesContent: Bool {
    switch self {
    case .post, .put, .patch, .query: true
    default: false
    }
  }
}

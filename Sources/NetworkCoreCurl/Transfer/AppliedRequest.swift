internal import CNetworkCoreCurl

/// What a handle's options say about requests, in addition to the constant options.
struct AppliedRequest {
  /// The options for the host; this also keeps the memory alive that they point to.
  var profile: CurlProfile?
  /// The URL of the last request, whose options the handle still has; `nil` if it has none.
  var url: String?
  var isSecure = false
  /// Whether several transfers may share the connection.
  var maySpeakHTTP2 = false
  /// Whether the request waits for a connection that is opening.
  var waitsForHandshake = false
  /// Whether the request goes to a Unix domain socket.
  var hasUnixSocket = false
  /// Whether no proxy is used, whatever the environment says.
  var bypassesProxy = false
  /// The alternative service that the request goes to; `nil` for the origin itself.
  var alternative: AlternativeService?
  /// The host and port of that service for libcurl; the handle points to it.
  var connectToList: CurlStringList?
  var hasCookies = false
  /// Whether the connection closes after the request.
  var forbidsReuse = false
}

/// What libcurl has reported about the connection of a handle's current request.
struct ReportedConnection {
  /// Whether libcurl has been about to send the request; until then, it may count for the last one.
  var hasBegun = false
  /// The connection, if libcurl knows its addresses.
  var connection: Connection?
  /// The HTTP/2 stream of the request, if libcurl has logged it.
  var stream: UInt32?
  /// The protocol that the connection has agreed on.
  var negotiatedProtocol = CCURL_ALPN_UNKNOWN
}

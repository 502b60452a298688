/// The attempts to send the request.
///
/// Replaced whole when they begin again: after a challenge, and for a retry.
struct AttemptState {
  /// How many times libcurl was about to send the request.
  var count = 0
  /// Whether the last attempt was on a reused connection; below, whether any attempt was.
  var wasOnReusedConnection = false
  var hasBeenOnReusedConnection = false
  /// Whether libcurl has opened a socket since it was last about to send the request.
  var isConnecting = false
  /// Whether the connection that libcurl had kept is unusable, so that another must be opened.
  var changesConnection = false
  /// Whether any part of a response has arrived.
  var hasResponse = false
  /// Whether the server rejects the request's expectation (417), which is then the final response.
  var expectationFailed = false
}

/// The retries of the request.
struct RetryState {
  /// How many times the server has left the connection before it responded.
  var goAwayCount = 0
  /// Whether the request must not use a reused connection.
  var needsNewConnection = false
  /// Whether an earlier attempt may have reached the server.
  var mayHaveBeenSent = false
}

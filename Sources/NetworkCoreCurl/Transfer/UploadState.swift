/// How far the body of the request has been sent.
struct UploadState {
  /// The number of bytes that have been sent, as libcurl counts them.
  var sent: Int64 = 0
  /// The value of `sent` at the beginning of the last check of early responses; `nil` before the first one.
  var sentAtCheck: Int64?
  /// Whether libcurl has read a body of unknown length to its end, which is not known to have been sent.
  var isEndUnsent = false
  /// Whether nothing more is sent over a connection that was to switch protocols, because the server has
  /// refused that or has closed the connection.
  var isOver = false
  /// Whether the body was still in transit when the whole response had arrived.
  var outlastsResponse = false
  /// For such a body: how many sent bytes the server had acknowledged at the last check, and when the count last
  /// grew.
  var acknowledged: (count: Int64, time: UInt64) = (0, 0)
}

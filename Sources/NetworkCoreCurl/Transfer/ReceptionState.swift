internal import CNetworkCoreCurl
internal import Foundation

/// The response, as far as it has arrived.
struct ReceptionState {
  var head = ResponseHeadBuffer()
  var headBytes = 0
  /// The number of field lines in the heads of the response so far.
  var fieldCount = 0
  /// The `Set-Cookie` line that has just arrived, which the next line may continue.
  var cookieLine: [UInt8]?
  /// The `Alt-Svc` values of the head that is arriving.
  var advertisedServices: String?
  /// Whether the response arrives over HTTP/2 or HTTP/3, on a stream of a connection that may be shared.
  var isMultiplexed = false
  /// How many times the server has requested credentials.
  var challengeCount = 0
  /// The head of a 401, or of another response, after which libcurl may still send another request.
  var challenge: ResponseHead?
  var bodyBytes = 0
  /// The decoder of the body, from its first byte on; `nil` if the body is not encoded.
  var decoder: BodyDecoder?
  /// How many of the bytes that libcurl holds back have been decoded; libcurl will deliver all of them again.
  var decodedAhead = 0
  /// The number of bytes downloaded when events were last queued or the deadline was checked.
  var downloadedAtLastCheck: Int64 = 0
  /// How the other side has ended a secure connection; `nil` unless the end of the connection ends the body.
  var closeNotify: ccurl_close_notify?
}

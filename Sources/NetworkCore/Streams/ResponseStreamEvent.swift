public import struct Foundation.Data

/// An event of a streamed response.
public enum ResponseStreamEvent: Sendable {
  /// The head of a response with an accepted status; its `data` is empty.
  case response(Response)
  /// The next piece of the body, decompressed if necessary; never empty.
  case chunk(Data)
  /// The end, always the last event; the response is complete if the error is `nil`.
  case finished(NetworkError?)
}

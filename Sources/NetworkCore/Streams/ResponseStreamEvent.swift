public import struct Foundation.Data

/// What a provider reports of an answer that it streams.
public enum ResponseStreamEvent: Sendable {
  /// The head has arrived and its status is welcome; its `data` is empty.
  case response(Response)
  /// The next piece of the body, decoded where it came compressed; never empty.
  case chunk(Data)
  /// The end, as the last event: whole when the error is `nil`.
  case finished(NetworkError?)
}

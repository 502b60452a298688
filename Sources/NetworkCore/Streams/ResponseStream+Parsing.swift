public import Foundation

extension ResponseStream {
  /// Returns the lines of the body, which can be read once, like the body itself.
  ///
  /// ```swift
  /// for try await line in provider.stream(.log).lines() { print(line) }
  /// ```
  ///
  /// - Parameters:
  ///   - ending: the line endings to recognize.
  ///   - limit: the maximum number of bytes in a line. A longer line fails with `NetworkError.underlying` and
  ///     `StreamError.lineTooLong`.
  /// - Returns: the lines, without their endings. The last line may have no ending.
  public func lines(
    ending: LineSplitter.Ending = .any, limit: Int = 1 << 20
  ) -> some AsyncSequence<String, NetworkError> & Sendable {
    ParsedStream(chunks: self, parser: LineSplitter(ending: ending, limit: limit))
  }

  /// Returns the values of a body in which each line is JSON (newline-delimited JSON); skips empty lines.
  ///
  /// - Parameters:
  ///   - type: the type of the values.
  ///   - decoder: the decoder to use.
  ///   - limit: the maximum number of bytes in a line.
  /// - Returns: the values. A line that cannot be decoded fails with `NetworkError.underlying` and a
  ///   `StreamError`.
  public func decodedLines<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: JSONDecoder = .standard, limit: Int = 1 << 20
  ) -> some AsyncSequence<Value, NetworkError> & Sendable {
    ParsedStream(chunks: self, parser: JSONLinesDecoder(type, decoder: decoder, limit: limit))
  }

  /// Returns the server-sent events of this response (WHATWG HTML, section 9.2); ignores its media type.
  ///
  /// To continue after the end of the response, send the request again with the `id` of the last event as
  /// `Last-Event-ID`. `rx.events` does that.
  ///
  /// - Parameter limit: the maximum number of bytes in a line, or in the data of an event. If more arrive,
  ///   the sequence fails with `NetworkError.underlying` and a `StreamError`.
  /// - Returns: the events.
  public func events(limit: Int = 1 << 20) -> some AsyncSequence<ServerSentEvent, NetworkError> & Sendable {
    ParsedStream(chunks: self, parser: EventStreamParser(limit: limit))
  }
}

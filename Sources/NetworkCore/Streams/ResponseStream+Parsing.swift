public import Foundation

extension ResponseStream {
  /// The body as lines; like the body itself, they can be read once.
  ///
  /// ```swift
  /// for try await line in provider.stream(.log).lines() { print(line) }
  /// ```
  ///
  /// - Parameters:
  ///   - ending: what ends a line.
  ///   - limit: the most bytes that a line may have; with more the reading fails with `NetworkError.underlying` and
  ///     `StreamError.lineTooLong`.
  /// - Returns: the lines, without their endings; the last one may do without.
  public func lines(
    ending: LineSplitter.Ending = .any, limit: Int = 1 << 20
  ) -> some AsyncSequence<String, NetworkError> & Sendable {
    ParsedStream(chunks: self, parser: LineSplitter(ending: ending, limit: limit))
  }

  /// The values of a body of which each line is JSON (newline-delimited JSON); empty lines are left out.
  ///
  /// - Parameters:
  ///   - type: what each line is decoded to.
  ///   - decoder: the decoder to use.
  ///   - limit: the most bytes that a line may have.
  /// - Returns: the values; the reading fails with `NetworkError.underlying` and a `StreamError` at a line that cannot be
  ///   decoded.
  public func decodedLines<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: JSONDecoder = .standard, limit: Int = 1 << 20
  ) -> some AsyncSequence<Value, NetworkError> & Sendable {
    ParsedStream(chunks: self, parser: LineDecoder(type, decoder: decoder, limit: limit))
  }

  /// The server-sent events of this one answer (WHATWG HTML, section 9.2); its media type is not looked at.
  ///
  /// To go on behind the last one where the answer ends, make the request again with its `id` as `Last-Event-ID`, as
  /// `rx.events` does.
  ///
  /// - Parameter limit: the most bytes that a line, or the data of an event, may have; with more the reading fails with
  ///   `NetworkError.underlying` and a `StreamError`.
  /// - Returns: the events.
  public func events(limit: Int = 1 << 20) -> some AsyncSequence<ServerSentEvent, NetworkError> & Sendable {
    ParsedStream(chunks: self, parser: EventStreamParser(limit: limit))
  }
}

public import Dispatch

extension NetworkProvider: StreamingProviderType {
  /// Starts a request whose answer is handed on as it arrives, whatever its length.
  ///
  /// ```swift
  /// for try await chunk in provider.stream(.log) { print(chunk.count) }
  /// ```
  ///
  /// A status other than 200 to 299 ends it with `NetworkError.statusCode` before anything has been handed on, with up to
  /// 1 MiB of the body, unless the target's `validationType` says otherwise; `.customCodes([])` takes every status. The
  /// same goes for its `acceptableContentTypes`. Interceptors may retry until then. Plugins see the request as they
  /// see others; the response that they get at its end has no data.
  ///
  /// A reader that does not keep up has the sender wait: at 256 KiB that nobody has taken the transfer is paused, and it
  /// goes on at half of that. `URLSessionTransport` cannot be paused.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - headers: header fields in place of, or beside, the target's own.
  /// - Returns: the answer, to be read once.
  public func stream(_ target: Target, headers: HTTPHeaders = [:]) -> ResponseStream {
    let buffer = BodyBuffer()
    return ResponseStream(
      buffer, start(target, headers, callbackQueue: nil, into: buffer))
  }

  /// Starts a request whose answer is handed on as it arrives, whatever its length.
  ///
  /// What is a success, what plugins and interceptors do and how the sender is held back is as with
  /// ``stream(_:headers:)``.
  ///
  /// The events come one at a time. A receiver may block: that has only this answer's sender wait, provided that the
  /// queue is not needed elsewhere.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - headers: header fields in place of, or beside, the target's own.
  ///   - callbackQueue: where the events are delivered; `nil` for the provider's queue or, where that has none, a
  ///     background queue of the stream's own.
  ///   - receive: gets the events; `.finished` once, as the last.
  /// - Returns: a token to cancel the request with: what has not been delivered by then is dropped, and the end is
  ///   `.finished(.cancelled)`.
  @preconcurrency @discardableResult public func stream(
    _ target: Target, headers: HTTPHeaders = [:], callbackQueue: DispatchQueue? = nil,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable {
    let buffer = BodyBuffer()
    let queue = callbackQueue ?? self.callbackQueue ?? DispatchQueue(label: "NetworkCore.stream")
    QueueDrain(of: buffer, on: queue.orTransport) { piece in
      switch piece {
      case .response(let response): receive(.response(response))
      case .chunk(let chunk): receive(.chunk(chunk))
      case .end(.success): receive(.finished(nil))
      case .end(.failure(let error)): receive(.finished(error))
      }
    }.begin()
    return start(target, headers, callbackQueue: callbackQueue, into: buffer)
  }

  private func start(
    _ target: Target, _ headers: HTTPHeaders, callbackQueue: DispatchQueue?, into buffer: BodyBuffer
  ) -> any Cancellable {
    let plain = endpoint(target)
    return start(
      target, headers.isEmpty ? plain : plain.adding(newHTTPHeaderFields: headers.dictionary), callbackQueue,
      delivery: StreamDelivery(buffer: buffer, validation: ResponseValidation(target)), progress: nil,
      completion: { buffer.close($0) })
  }
}

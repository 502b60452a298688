public import Dispatch

extension NetworkProvider: StreamingProviderType {
  /// Starts a request whose response is delivered while it arrives, without a limit on its length.
  ///
  /// ```swift
  /// for try await chunk in provider.stream(.log) { print(chunk.count) }
  /// ```
  ///
  /// A status other than 200 to 299 ends the stream with `NetworkError.statusCode`, before anything is
  /// delivered, unless the target's `validationType` says otherwise; `.customCodes([])` accepts every status.
  /// A media type that the target's `acceptableContentTypes` do not contain also ends the stream. In both
  /// cases the error has up to 1 MiB of the body. Interceptors may retry until the first delivery. Plugins
  /// handle the request like any other; the response that they receive at its end has no data.
  ///
  /// A slow reader makes the sender wait: the transfer is paused when 256 KiB are buffered, and resumed when
  /// half of that is left. `URLSessionTransport` cannot be paused. In a task that is already cancelled, no
  /// request is sent.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - headers: header fields to add; they replace fields of the target with the same name.
  /// - Returns: the response, which can be read once.
  public func stream(_ target: Target, headers: HTTPHeaders = [:]) -> ResponseStream {
    stream(target, headers, observer: nil)
  }

  /// Starts a request whose response is delivered while it arrives, without a limit on its length.
  ///
  /// Validation, plugins, interceptors and the pausing of the sender work as with ``stream(_:headers:)``.
  ///
  /// The events are delivered one at a time. The receiver may block: if no other work uses the queue, only
  /// the sender of this response then waits.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - headers: header fields to add; they replace fields of the target with the same name.
  ///   - callbackQueue: the queue of the events; `nil` for the provider's queue or, if it has none, a
  ///     separate background queue. Without a queue, a stub is delivered on the thread that causes it, before
  ///     this method returns if there is no delay.
  ///   - receive: receives the events; `.finished` exactly once, as the last.
  /// - Returns: a token that cancels the request. A cancel drops the pending events and delivers
  ///   `.finished(.cancelled)`.
  @preconcurrency @discardableResult public func stream(
    _ target: Target, headers: HTTPHeaders = [:], callbackQueue: DispatchQueue? = nil,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable {
    stream(target, headers, callbackQueue, observer: nil, receive: receive)
  }

  func stream(
    _ target: Target, _ headers: HTTPHeaders, observer: (@Sendable (RequestEvent) -> Void)?
  ) -> ResponseStream {
    let buffer = BodyBuffer()
    guard !_Concurrency.Task.isCancelled else {
      buffer.close(.failure(.cancelled))
      return ResponseStream(buffer, CancellableToken {})
    }
    let call = start(target, headers, nil, into: buffer, observer: observer)
    return ResponseStream(buffer, StreamToken(call, buffer))
  }

  func stream(
    _ target: Target, _ headers: HTTPHeaders, _ callbackQueue: DispatchQueue?,
    observer: (@Sendable (RequestEvent) -> Void)?, receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable {
    let buffer = BodyBuffer()
    let deliver: @Sendable (BodyBuffer.Piece) -> Bool = { piece in
      switch piece {
      case .response(let response): receive(.response(response))
      case .chunk(let chunk): receive(.chunk(chunk))
      case .end(.success): receive(.finished(nil))
      case .end(.failure(let error)): receive(.finished(error))
      }
      return !piece.isEnd
    }
    let call = start(target, headers, callbackQueue, into: buffer, observer: observer) { call in
      BufferDrain(
        next: { buffer.next(orWhenReady: $0) },
        on: deliveryQueue(of: call, callbackQueue, "NetworkCore.stream"), deliver: deliver
      ).begin()
    }
    return StreamToken(call, buffer)
  }

  /// The queue on which the pieces of a call's response are delivered; `nil` for the thread that provides them.
  ///
  /// A receiver that blocks must not block the transport, so it gets a queue of its own; a stub is delivered
  /// where it happens, as that of any request.
  func deliveryQueue(
    of call: RequestCall, _ callbackQueue: DispatchQueue?, _ label: String
  ) -> DispatchQueue? {
    guard let queue = callbackQueue ?? self.callbackQueue else {
      return call.isStub ? nil : DispatchQueue(label: label)
    }
    return queue.nilIfTransport
  }

  private func start(
    _ target: Target, _ headers: HTTPHeaders, _ callbackQueue: DispatchQueue?, into buffer: BodyBuffer,
    observer: (@Sendable (RequestEvent) -> Void)?, prepare: (RequestCall) -> Void = { _ in }
  ) -> RequestCall {
    let plain = endpoint(target)
    return start(
      target, headers.isEmpty ? plain : plain.adding(newHTTPHeaderFields: headers.dictionary), callbackQueue,
      delivery: StreamBodyDelivery(buffer: buffer, validation: ResponseValidation(target)),
      observer: observer, progress: nil, prepare: prepare, completion: { buffer.close($0) })
  }
}

/// Cancels a request and what the consumer has not taken of its response, which may have ended already.
private final class StreamToken: Cancellable {
  private let call: RequestCall
  private let buffer: BodyBuffer

  init(_ call: RequestCall, _ buffer: BodyBuffer) {
    (self.call, self.buffer) = (call, buffer)
  }

  var isCancelled: Bool { call.isCancelled }

  func cancel() {
    call.cancel()
    buffer.cancel()
  }
}

public import Dispatch
public import struct Foundation.URL

/// A provider whose streams and downloads can be observed; the reactive layer builds on it.
public protocol ObservableStreamingProviderType: ObservableProviderType, StreamingProviderType {
  /// Starts a request whose response is delivered while it arrives, and observes it.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - headers: header fields to add; they replace fields of the target with the same name.
  ///   - callbackQueue: the queue of the response's events; `nil` to let the provider choose.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  ///   - receive: receives the response's events one at a time; `.finished` exactly once, as the last.
  /// - Returns: a token that cancels the request.
  @preconcurrency @discardableResult func stream(
    _ target: Target, headers: HTTPHeaders, callbackQueue: DispatchQueue?,
    observer: @escaping @Sendable (RequestEvent) -> Void,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable

  /// Starts a download that can be resumed after an error or a cancel, and observes it.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - destination: the file, which appears when it is complete.
  ///   - options: the handling of an existing file and of a missing folder.
  ///   - callbackQueue: the queue of the callbacks; `nil` to let the provider choose.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  ///   - progress: receives the progress.
  ///   - completion: receives the response or the error, exactly once.
  /// - Returns: a token that cancels the request.
  @preconcurrency @discardableResult func download(
    _ target: Target, to destination: URL, options: DownloadOptions, callbackQueue: DispatchQueue?,
    observer: @escaping @Sendable (RequestEvent) -> Void, progress: ProgressBlock?,
    completion: @escaping Completion
  ) -> any Cancellable
}

// Disfavored, so that trailing closures keep the meaning that they have without an observer.
extension NetworkProvider: ObservableStreamingProviderType {
  /// Starts a request whose response is delivered while it arrives, and observes it.
  ///
  /// ```swift
  /// let stream = provider.stream(.log, observer: { print($0) })
  /// for try await chunk in stream { print(chunk.count) }
  /// ```
  ///
  /// Otherwise it behaves like ``stream(_:headers:)``. `ended` is reported when the response has arrived,
  /// even if the reader has chunks left to read.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - headers: header fields to add; they replace fields of the target with the same name.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  /// - Returns: the response, which can be read once.
  @_disfavoredOverload @preconcurrency public func stream(
    _ target: Target, headers: HTTPHeaders = [:], observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> ResponseStream {
    stream(target, headers, observer: observer)
  }

  /// Starts a request whose response is delivered while it arrives, and observes it.
  ///
  /// Otherwise it behaves like ``stream(_:headers:callbackQueue:receive:)``. `ended` is reported when the
  /// response has arrived, which may be before the receiver gets the last chunks.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - headers: header fields to add; they replace fields of the target with the same name.
  ///   - callbackQueue: the queue of the response's events; `nil` for the provider's queue or, if it has
  ///     none, a separate background queue.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  ///   - receive: receives the response's events; `.finished` exactly once, as the last.
  /// - Returns: a token that cancels the request. A cancel drops the pending events of the response and
  ///   delivers `.finished(.cancelled)`.
  @_disfavoredOverload @preconcurrency @discardableResult public func stream(
    _ target: Target, headers: HTTPHeaders = [:], callbackQueue: DispatchQueue? = nil,
    observer: @escaping @Sendable (RequestEvent) -> Void,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable {
    stream(target, headers, callbackQueue, observer: observer, receive: receive)
  }

  /// Starts a download that can be resumed after an error or a cancel, and observes it.
  ///
  /// ```swift
  /// provider.download(.image("large.iso"), to: file, observer: { print($0) }) { result in
  ///   print(result.map(\.fileURL))
  /// }
  /// ```
  ///
  /// Otherwise it behaves like ``download(_:to:options:callbackQueue:progress:completion:)``.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - destination: the file, which appears when it is complete.
  ///   - options: the handling of an existing file and of a missing folder.
  ///   - callbackQueue: the queue of the callbacks; `nil` for the provider's queue or, if it has none, a
  ///     background queue.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  ///   - progress: receives the progress. The last value has the response and comes just before the
  ///     completion.
  ///   - completion: receives the response or the error, exactly once.
  /// - Returns: a token that cancels the request; dropping it cancels nothing.
  @_disfavoredOverload @preconcurrency @discardableResult public func download(
    _ target: Target, to destination: URL, options: DownloadOptions = [], callbackQueue: DispatchQueue? = nil,
    observer: @escaping @Sendable (RequestEvent) -> Void, progress: ProgressBlock? = nil,
    completion: @escaping Completion
  ) -> any Cancellable {
    download(
      target, FilePlacement(destination: destination, options: options), callbackQueue, observer: observer,
      progress: progress, completion: completion)
  }
}

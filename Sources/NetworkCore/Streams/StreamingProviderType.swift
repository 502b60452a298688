public import Dispatch
public import struct Foundation.URL

/// What answers can be streamed and downloaded with; the reactive layer builds on this.
public protocol StreamingProviderType: NetworkProviderType {
  /// Starts a request whose answer is handed on as it arrives.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - headers: header fields in place of, or beside, the target's own.
  ///   - callbackQueue: where the events are delivered; `nil` for the provider's own choice.
  ///   - receive: gets the events one after the other; `.finished` once, as the last.
  /// - Returns: a token to cancel the request with.
  @preconcurrency @discardableResult func stream(
    _ target: Target, headers: HTTPHeaders, callbackQueue: DispatchQueue?,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable

  /// Starts a request whose answer goes to a file, in a way that can be gone on with after an error or a cancel.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - destination: the file, which appears once it is whole.
  ///   - options: what to do where there is a file already, or no folder.
  ///   - callbackQueue: where the callbacks run; `nil` for the provider's own choice.
  ///   - progress: gets the progress.
  ///   - completion: gets the answer or the error, exactly once.
  /// - Returns: a token to cancel the request with.
  @preconcurrency @discardableResult func download(
    _ target: Target, to destination: URL, options: DownloadOptions, callbackQueue: DispatchQueue?,
    progress: ProgressBlock?, completion: @escaping Completion
  ) -> any Cancellable
}

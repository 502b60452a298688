public import Dispatch
public import struct Foundation.URL

/// A provider that can stream and download responses; the reactive layer builds on it.
public protocol StreamingProviderType: NetworkProviderType {
  /// Starts a request whose response is delivered while it arrives.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - headers: header fields to add; they replace fields of the target with the same name.
  ///   - callbackQueue: the queue of the events; `nil` to let the provider choose.
  ///   - receive: receives the events one at a time; `.finished` exactly once, as the last.
  /// - Returns: a token that cancels the request.
  @preconcurrency @discardableResult func stream(
    _ target: Target, headers: HTTPHeaders, callbackQueue: DispatchQueue?,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable

  /// Starts a download that can be resumed after an error or a cancel.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - destination: the file, which appears when it is complete.
  ///   - options: the handling of an existing file and of a missing folder.
  ///   - callbackQueue: the queue of the callbacks; `nil` to let the provider choose.
  ///   - progress: receives the progress.
  ///   - completion: receives the response or the error, exactly once.
  /// - Returns: a token that cancels the request.
  @preconcurrency @discardableResult func download(
    _ target: Target, to destination: URL, options: DownloadOptions, callbackQueue: DispatchQueue?,
    progress: ProgressBlock?, completion: @escaping Completion
  ) -> any Cancellable
}

public import Dispatch
public import Foundation

extension NetworkProvider {
  /// Starts a download that can be resumed after an error or a cancel.
  ///
  /// ```swift
  /// provider.download(.image("large.iso"), to: file, progress: { print($0.progress) }) { result in
  ///   print(result.map(\.fileURL))
  /// }
  /// ```
  ///
  /// A status such as 404 or 503 is not an error: the response then has no `fileURL`, and its body as `data`. With
  /// more than 1 MiB of body, the download fails with `TransferError.responseTooLarge`. To turn such a status into an
  /// error, set the target's `validationType` to `.successCodes`, or call `filterSuccessfulStatusCodes()` on the
  /// response.
  ///
  /// Another thread opens the partial file, so plugins receive `willSend` after this method has returned.
  ///
  /// The target's task only decides what is sent. The response is handled as with the task
  /// `HTTPTask.downloadResumable`.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - destination: the file, which appears when it is complete.
  ///   - options: the handling of an existing file and of a missing folder.
  ///   - callbackQueue: the queue of the callbacks; `nil` for the provider's queue or, if it has none, a
  ///     background queue.
  ///   - progress: receives the progress. The last value has the response and comes just before the
  ///     completion.
  ///   - completion: receives the response or the error, exactly once. The response has a `fileURL` and no
  ///     data, unless its status is a failure or 304.
  /// - Returns: a token that cancels the request; dropping it cancels nothing.
  @preconcurrency @discardableResult public func download(
    _ target: Target, to destination: URL, options: DownloadOptions = [], callbackQueue: DispatchQueue? = nil,
    progress: ProgressBlock? = nil, completion: @escaping Completion
  ) -> any Cancellable {
    download(
      target, FilePlacement(destination: destination, options: options), callbackQueue, observer: nil,
      progress: progress, completion: completion)
  }

  func download(
    _ target: Target, _ place: FilePlacement, _ callbackQueue: DispatchQueue?,
    observer: (@Sendable (RequestEvent) -> Void)?, progress: ProgressBlock?, completion: @escaping Completion
  ) -> any Cancellable {
    start(
      target, endpoint(target), callbackQueue,
      delivery: FileBodyDelivery(.resumable(place), validation: ResponseValidation(target)),
      observer: observer, progress: progress, completion: completion)
  }
}

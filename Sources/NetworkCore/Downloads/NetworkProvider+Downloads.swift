public import Dispatch
public import Foundation

extension NetworkProvider {
  /// Starts a request whose answer goes to a file, in a way that can be gone on with after an error or a cancel.
  ///
  /// ```swift
  /// provider.download(.image("large.iso"), to: file, progress: { print($0.progress) }) { result in
  ///   print(result.map(\.fileURL))
  /// }
  /// ```
  ///
  /// A 404 or a 503 is no error: the response then has no `fileURL`, and its body, up to 1 MiB, as `data`. Have the target's
  /// `validationType` be `.successCodes`, or call `filterSuccessfulStatusCodes()` on the response, to make an error of it.
  ///
  /// The partial file is opened on another thread, and so the plugins' `willSend` comes after this has returned.
  ///
  /// It works as with the task `HTTPTask.downloadResumable`, whatever the target's own task is: that says what is sent.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - destination: the file, which appears once it is whole.
  ///   - options: what to do where there is a file already, or no folder.
  ///   - callbackQueue: where the callbacks run; `nil` for the provider's queue or, where that has none, a background queue.
  ///   - progress: gets the progress, the last one with the response just before the completion.
  ///   - completion: gets the answer, which has a `fileURL` and no data unless the status is a bad one, or the error, exactly once.
  /// - Returns: a token to cancel the request with; it may be dropped.
  @preconcurrency @discardableResult public func download(
    _ target: Target, to destination: URL, options: DownloadOptions = [], callbackQueue: DispatchQueue? = nil,
    progress: ProgressBlock? = nil, completion: @escaping Completion
  ) -> any Cancellable {
    let place = FilePlacement(destination: destination, options: options)
    return start(
      target, endpoint(target), callbackQueue,
      delivery: FileDelivery(.resumable(place), validation: ResponseValidation(target)), progress: progress,
      completion: completion)
  }
}

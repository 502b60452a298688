public import Dispatch
public import Foundation
public import NetworkCore
public import RxLite

extension Reactive where Base: StreamingProviderType {
  /// Returns a sequence that sends a request at each subscription and downloads the response to a file.
  ///
  /// ```swift
  /// provider.rx.download(.image("large.iso"), to: file)
  ///   .filterSuccessfulStatusCodes()
  ///   .subscribe(onNext: { print(Int($0.progress * 100), "%") })
  ///   .disposed(by: bag)
  /// ```
  ///
  /// The elements are the progress. The last one has the response, which has a `fileURL` and no data; then
  /// the sequence completes. It also completes for a 404, a 503 or an accepted 304, without a file and with a response that
  /// has the body, unless `filterSuccessfulStatusCodes()` or the target's `validationType` turns the status
  /// into an error. Disposing stops the transfer on the wire. Like an error, it keeps the part that has
  /// arrived, and the next subscription requests the rest. See `HTTPTask.downloadResumable`.
  ///
  /// - Parameters:
  ///   - target: the target to request; its task describes the request body.
  ///   - destination: the file, which appears when the download is complete.
  ///   - options: what to do if the file already exists or its folder is missing.
  ///   - callbackQueue: the queue on which the elements are delivered; `nil` for the provider's queue, or for
  ///     a background queue if the provider has none.
  /// - Returns: the sequence, which fails with a `NetworkError`.
  public func download(
    _ target: Base.Target, to destination: URL, options: DownloadOptions = [],
    callbackQueue: DispatchQueue? = nil
  ) -> Observable<ProgressResponse> {
    let provider = base
    return progress(of: target) { progress, completion in
      provider.download(
        target, to: destination, options: options, callbackQueue: callbackQueue, progress: progress,
        completion: completion)
    }
  }

  /// Returns the progress of a download whose target's task names the destination.
  ///
  /// It is the same as `requestWithProgress(_:callbackQueue:)`. A 404 or a 503 completes it without a file,
  /// unless `filterSuccessfulStatusCodes()` or the target's `validationType` turns the status into an error.
  ///
  /// - Parameters:
  ///   - target: the target to request, with a task such as `downloadDestination`.
  ///   - callbackQueue: the queue on which the elements are delivered.
  /// - Returns: the sequence; its last element has the response.
  public func download(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil
  ) -> Observable<ProgressResponse> {
    requestWithProgress(target, callbackQueue: callbackQueue)
  }

  /// Returns the progress of an upload; the same as `requestWithProgress(_:callbackQueue:)`.
  ///
  /// - Parameters:
  ///   - target: the target to request, with a task such as `uploadFile`.
  ///   - callbackQueue: the queue on which the elements are delivered.
  /// - Returns: the sequence; its last element has the response.
  public func upload(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil
  ) -> Observable<ProgressResponse> {
    requestWithProgress(target, callbackQueue: callbackQueue)
  }
}

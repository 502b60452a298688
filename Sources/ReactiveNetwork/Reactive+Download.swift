public import Dispatch
public import Foundation
public import NetworkCore
public import RxLite

extension Reactive where Base: StreamingProviderType {
  /// A download to a file, as its progress: nothing is sent until somebody subscribes.
  ///
  /// ```swift
  /// provider.rx.download(.image("large.iso"), to: file)
  ///   .filterSuccessfulStatusCodes()
  ///   .subscribe(onNext: { print(Int($0.progress * 100), "%") })
  ///   .disposed(by: bag)
  /// ```
  ///
  /// The last element carries the response, which has a `fileURL` and no data; then the sequence completes. It does so without a file
  /// for a 404 or a 503 too, whose response has the body, unless `filterSuccessfulStatusCodes()` or the target's `validationType`
  /// makes an error of it. Disposing takes
  /// the transfer off the wire and, like an error, keeps what has arrived: the next subscription asks for the rest. See
  /// `HTTPTask.downloadResumable`.
  ///
  /// - Parameters:
  ///   - target: what to ask for; its task says what is sent.
  ///   - destination: the file, which appears once it is whole.
  ///   - options: what to do where there is a file already, or no folder.
  ///   - callbackQueue: where the elements are delivered; `nil` for the provider's queue or, where that has none, a
  ///     background queue.
  /// - Returns: the sequence; it fails with a `NetworkError`.
  public func download(
    _ target: Base.Target, to destination: URL, options: DownloadOptions = [],
    callbackQueue: DispatchQueue? = nil
  ) -> Observable<ProgressResponse> {
    let provider = base
    return Observable.create { observer in
      guard let sender = RequestSender(target, of: self, refuse: { observer.onError($0) }) else {
        return Disposables.create()
      }
      let token = provider.download(
        target, to: destination, options: options, callbackQueue: callbackQueue,
        progress: { progress in sender.deliver { observer.onNext(progress) } },
        completion: { result in
          switch result {
          case .success: sender.deliver { observer.onCompleted() }
          case .failure(let error):
            sender.deliverFailure { observer.onError(error) }
          }
        })
      return Disposables.create { token.cancel() }
    }
  }

  /// A download whose target's task says where it goes, as its progress: `requestWithProgress(_:callbackQueue:)` under
  /// the name of what it does here.
  ///
  /// A 404 or a 503 completes it without a file, unless `filterSuccessfulStatusCodes()` or the target's `validationType` makes an
  /// error of it.
  ///
  /// - Parameters:
  ///   - target: what to ask for, with a task such as `downloadDestination`.
  ///   - callbackQueue: where the elements are delivered.
  /// - Returns: the sequence; its last element carries the response.
  public func download(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil
  ) -> Observable<ProgressResponse> {
    requestWithProgress(target, callbackQueue: callbackQueue)
  }

  /// An upload, as its progress: `requestWithProgress(_:callbackQueue:)` under the name of what it does here.
  ///
  /// - Parameters:
  ///   - target: what to ask for, with a task such as `uploadFile`.
  ///   - callbackQueue: where the elements are delivered.
  /// - Returns: the sequence; its last element carries the response.
  public func upload(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil
  ) -> Observable<ProgressResponse> {
    requestWithProgress(target, callbackQueue: callbackQueue)
  }
}

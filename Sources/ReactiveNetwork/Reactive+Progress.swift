public import Dispatch
public import NetworkCore
public import RxLite

extension Reactive where Base: NetworkProviderType {
  /// A request with its progress: nothing is sent until somebody subscribes, and each subscription sends it anew.
  ///
  /// ```swift
  /// let upload = provider.rx.requestWithProgress(.avatar(file)).share(replay: 1)
  /// let bar = upload.filterProgress()
  /// let answer = upload.filterCompleted()
  /// ```
  ///
  /// The last element of a request that succeeds carries the response; then the sequence completes. Disposing a
  /// subscription takes its transfer off the wire.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the elements are delivered; `nil` for the provider's queue or, where that has none, the
  ///     transport's callback thread.
  /// - Returns: the sequence; it fails with a `NetworkError`.
  public func requestWithProgress(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil
  ) -> Observable<ProgressResponse> {
    let provider = base
    return Observable.create { observer in
      guard let sender = RequestSender(target, of: self, refuse: { observer.onError($0) }) else {
        return Disposables.create()
      }
      let token = provider.request(
        target, callbackQueue: callbackQueue,
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
}

extension ObservableType where Element == ProgressResponse {
  /// Lets the responses through that the last elements carry.
  ///
  /// - Returns: the sequence of responses: one for a request that succeeds.
  public func filterCompleted() -> Observable<Response> {
    compactMap(\.response)
  }

  /// Lets the progress through, and the last element if the status code of its response is 200 to 299.
  ///
  /// Any other fails with `NetworkError.statusCode`. Without it, a download that is refused completes like one that has made a file.
  ///
  /// - Returns: the sequence of progress.
  public func filterSuccessfulStatusCodes() -> Observable<ProgressResponse> {
    filter(statusCodes: 200...299)
  }

  /// Lets the progress through, and the last element if the status code of its response is one of `statusCodes`.
  ///
  /// Any other fails with `NetworkError.statusCode`.
  ///
  /// - Parameter statusCodes: the codes to let through.
  /// - Returns: the sequence of progress.
  public func filter(statusCodes: some RangeExpression<Int>) -> Observable<ProgressResponse> {
    map { progress in
      _ = try progress.response?.filter(statusCodes: statusCodes)
      return progress
    }
  }

  /// Lets the progress through, from 0 to 1, without the element that carries the response.
  ///
  /// - Returns: the sequence of numbers.
  public func filterProgress() -> Observable<Double> {
    filter { !$0.completed }.map(\.progress)
  }
}

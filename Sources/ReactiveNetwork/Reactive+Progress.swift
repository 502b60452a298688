public import Dispatch
public import NetworkCore
public import RxLite

extension Reactive where Base: NetworkProviderType {
  /// Returns a sequence that sends a request at each subscription and reports its progress.
  ///
  /// ```swift
  /// let upload = provider.rx.requestWithProgress(.avatar(file)).share(replay: 1)
  /// let bar = upload.filterProgress()
  /// let response = upload.filterCompleted()
  /// ```
  ///
  /// The last element of a request that succeeds has the response; then the sequence completes. Disposing a
  /// subscription stops its transfer on the wire.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue on which the elements are delivered; `nil` for the provider's queue, or for
  ///     the transport's callback thread if the provider has none.
  /// - Returns: the sequence, which fails with a `NetworkError`.
  public func requestWithProgress(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil
  ) -> Observable<ProgressResponse> {
    let provider = base
    return progress(of: target) { progress, completion in
      provider.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
    }
  }

  /// Returns the progress of a request that each subscription starts.
  func progress(
    of target: Base.Target,
    _ start: @escaping @Sendable (@escaping ProgressBlock, @escaping Completion) -> any Cancellable
  ) -> Observable<ProgressResponse> {
    Observable.create { observer in
      guard let request = admit(target, in: observer.context, refuse: { observer.onError($0) }) else {
        return Disposables.create()
      }
      let token = request.start {
        start(
          { observer.onNext($0) },
          { result in
            switch result {
            case .success: observer.onCompleted()
            case .failure(let error):
              request.end(error)
              observer.onError(error)
            }
          })
      }
      return Disposables.create { token.cancel() }
    }
  }
}

extension ObservableType where Element == ProgressResponse {
  /// Forwards only the response, which the last element has.
  ///
  /// - Returns: the sequence of responses: one for a request that succeeds.
  public func filterCompleted() -> Observable<Response> {
    compactMap(\.response)
  }

  /// Forwards the progress, and the last element if the status code of its response is 200 to 299.
  ///
  /// Any other status fails with `NetworkError.statusCode`. Without this operator, a refused download
  /// completes like one that has written a file.
  ///
  /// - Returns: the sequence of progress.
  public func filterSuccessfulStatusCodes() -> Observable<ProgressResponse> {
    filter(statusCodes: 200...299)
  }

  /// Forwards the progress, and the last element if the status code of its response is one of `statusCodes`.
  ///
  /// Any other status fails with `NetworkError.statusCode`.
  ///
  /// - Parameter statusCodes: the accepted codes.
  /// - Returns: the sequence of progress.
  public func filter(statusCodes: some RangeExpression<Int>) -> Observable<ProgressResponse> {
    mapping { progress in
      _ = try progress.response?.filter(statusCodes: statusCodes)
      return progress
    }
  }

  /// Forwards the progress, from 0 to 1, without the element that has the response.
  ///
  /// - Returns: the sequence of numbers.
  public func filterProgress() -> Observable<Double> {
    filter { !$0.completed }.map(\.progress)
  }
}

public import Dispatch
public import NetworkCore
public import RxLite

extension NetworkProvider: ReactiveCompatible {}

extension Reactive where Base: NetworkProviderType {
  /// Returns a single that sends a request at each subscription.
  ///
  /// ```swift
  /// let bag = DisposeBag()
  /// provider.rx.request(.repos("ash"))
  ///   .filterSuccessfulStatusCodes()
  ///   .map([Repo].self)
  ///   .subscribe(onSuccess: { print($0.count) }, onFailure: { print($0) })
  ///   .disposed(by: bag)
  /// ```
  ///
  /// Disposing a subscription stops its transfer on the wire. Nothing is delivered after that, and the
  /// plugins see the request end once, as cancelled. A 404 is a normal response unless the target's
  /// `validationType` or a filter says otherwise.
  ///
  /// The single retains the provider, so you need no other reference to it.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue on which the response is delivered; `nil` for the provider's queue, or for
  ///     the transport's callback thread if the provider has none.
  /// - Returns: the single, which fails with a `NetworkError`.
  public func request(_ target: Base.Target, callbackQueue: DispatchQueue? = nil) -> Single<Response> {
    let provider = base
    return single(of: target) { completion in
      provider.request(target, callbackQueue: callbackQueue, progress: nil, completion: completion)
    }
  }

  /// Returns a single that sends a request at each subscription.
  func single(
    of target: Base.Target, _ start: @escaping @Sendable (@escaping Completion) -> any Cancellable
  ) -> Single<Response> {
    Single.creating { context, single in
      guard let request = admit(target, in: context, refuse: { single(.failure($0)) }) else {
        return Disposables.create()
      }
      let token = request.start {
        start { result in
          if case .failure(let error) = result { request.end(error) }
          single(result.mapError { $0 })
        }
      }
      return Disposables.create { token.cancel() }
    }
  }
}

public import Dispatch
public import NetworkCore
public import RxLite

extension NetworkProvider: ReactiveCompatible {}

extension Reactive where Base: NetworkProviderType {
  /// A request as a single: nothing is sent until somebody subscribes, and each subscription sends it anew.
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
  /// Disposing a subscription takes its transfer off the wire; nothing is delivered after that, and the plugins see
  /// the request end once, as cancelled. The error is a `NetworkError`. A 404 is a response like any other unless the
  /// target's `validationType` or a filter says otherwise.
  ///
  /// The single keeps the provider, so that it works also where nobody else does.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the response is delivered; `nil` for the provider's queue or, where that has none, the
  ///     transport's callback thread.
  /// - Returns: the single.
  public func request(_ target: Base.Target, callbackQueue: DispatchQueue? = nil) -> Single<Response> {
    let provider = base
    return Single.create { single in
      guard let sender = RequestSender(target, of: self, refuse: { single(.failure($0)) }) else {
        return Disposables.create()
      }
      let token = provider.request(target, callbackQueue: callbackQueue, progress: nil) { result in
        switch result {
        case .success(let response): sender.deliver { single(.success(response)) }
        case .failure(let error):
          sender.deliverFailure { single(.failure(error)) }
        }
      }
      return Disposables.create { token.cancel() }
    }
  }
}

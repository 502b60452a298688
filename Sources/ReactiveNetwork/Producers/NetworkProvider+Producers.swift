public import Dispatch
public import NetworkCore
import RxLite

extension NetworkProviderType {
  /// The requests in ReactiveSwift's words.
  public var reactive: RequestProducers<Self> { RequestProducers(provider: self) }
}

/// The requests of a provider as producers.
public struct RequestProducers<Provider: NetworkProviderType> {
  let provider: Provider

  /// A request: nothing is sent until it is started, and each start sends it anew.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the response is delivered; as with `rx.request(_:callbackQueue:)`.
  /// - Returns: the producer of the response.
  public func request(
    _ target: Provider.Target, callbackQueue: DispatchQueue? = nil
  ) -> SignalProducer<Response, NetworkError> {
    let request = Reactive(provider).request(target, callbackQueue: callbackQueue)
    return SignalProducer(request.asObservable(), failure: NetworkError.init(any:))
  }

  /// A request with its progress; the last value of one that succeeds carries the response.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the values are delivered; as with `rx.request(_:callbackQueue:)`.
  /// - Returns: the producer of the progress.
  public func requestWithProgress(
    _ target: Provider.Target, callbackQueue: DispatchQueue? = nil
  ) -> SignalProducer<ProgressResponse, NetworkError> {
    let request = Reactive(provider).requestWithProgress(target, callbackQueue: callbackQueue)
    return SignalProducer(request, failure: NetworkError.init(any:))
  }
}

extension NetworkError {
  fileprivate init(any error: any Error) {
    self = error as? NetworkError ?? .underlying(error, nil)
  }
}

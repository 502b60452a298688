public import Dispatch
public import NetworkCore
import RxLite

extension NetworkProviderType {
  /// The provider's requests with ReactiveSwift's names.
  public var reactive: RequestProducers<Self> { RequestProducers(provider: self) }
}

/// A provider's requests as signal producers.
public struct RequestProducers<Provider: NetworkProviderType> {
  let provider: Provider

  /// Returns a producer that sends a request each time it is started.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue on which the response is delivered; as with `rx.request(_:callbackQueue:)`.
  /// - Returns: the producer of the response.
  public func request(
    _ target: Provider.Target, callbackQueue: DispatchQueue? = nil
  ) -> SignalProducer<Response, NetworkError> {
    let request = Reactive(provider).request(target, callbackQueue: callbackQueue)
    return SignalProducer(source: request.asObservable().typed)
  }

  /// Returns a producer that sends a request each time it is started, and reports its progress.
  ///
  /// The last value of a request that succeeds has the response.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue on which the values are delivered; as with `rx.request(_:callbackQueue:)`.
  /// - Returns: the producer of the progress.
  public func requestWithProgress(
    _ target: Provider.Target, callbackQueue: DispatchQueue? = nil
  ) -> SignalProducer<ProgressResponse, NetworkError> {
    let request = Reactive(provider).requestWithProgress(target, callbackQueue: callbackQueue)
    return SignalProducer(source: request.typed)
  }
}

extension Observable {
  /// The sequence, whose errors are of type `NetworkError`.
  fileprivate var typed: Observable<Element> {
    self.catch { error in .error(NetworkError(wrapping: error)) }
  }
}

import NetworkCore
import ReactiveNetworkLock
import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Applies an operator that reacts to errors, so that it also reacts to failed responses that no filter has
  /// refused.
  ///
  /// Such a response enters the operator as its `failure`, and leaves it as the element that it was.
  ///
  /// - Parameter operation: the operator.
  /// - Returns: the single.
  func treatingFailuresAsErrors(
    _ operation: @escaping @Sendable (Single<Element>) -> Single<Element>
  ) -> Single<Element> {
    guard Element.self == Response.self else { return operation(self) }
    return Single.deferred {
      let unfiltered = Lock<Response?>(nil)
      let failing = self.map { element in
        // Another attempt would find the file of this one in its way.
        guard let response = element as? Response, response.fileURL == nil, let failure = response.failure
        else { return element }
        unfiltered.withLock { $0 = response }
        throw failure
      }
      return operation(failing).catch { error in
        guard case .statusCode(let response)? = error as? NetworkError,
          unfiltered.withLock({ $0 }) === response, let element = response as? Element
        else { return .error(error) }
        return .just(element)
      }
    }
  }
}

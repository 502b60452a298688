public import Foundation
public import NetworkCore
public import RxLite

extension Reactive where Base: NetworkProviderType {
  /// Returns a request whose response is decoded; short for `filterSuccessfulStatusCodes()` and
  /// `map(_:using:)`.
  ///
  /// Each `DecodedResultPlugin` of the provider receives the value or the error, unless the subscription is
  /// disposed first.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - type: the type that the body decodes to.
  ///   - decoder: the decoder to use.
  /// - Returns: the single of the value; it fails with `NetworkError.statusCode` for a status other than 200
  ///   to 299.
  public func value<D: Decodable>(
    _ target: Base.Target, as type: D.Type = D.self, using decoder: JSONDecoder = .standard
  ) -> Single<D> {
    let value = request(target).filterSuccessfulStatusCodes().map(type, using: decoder)
    guard let reporting = base as? any DecodedResultReporting else { return value }
    return value.reported(to: reporting, target)
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  // Its closures must not capture that the element is `Decodable`, because that conformance may be isolated.
  fileprivate func reported(
    to reporting: any DecodedResultReporting, _ target: some TargetType
  ) -> Single<Element> {
    self.do(
      onSuccess: { reporting.report(decoded: Result<Element, NetworkError>.success($0), target: target) },
      onError: { error in
        let result = Result<Element, NetworkError>.failure(NetworkError(wrapping: error))
        reporting.report(decoded: result, target: target)
      })
  }
}

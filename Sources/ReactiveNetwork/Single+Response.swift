public import Foundation
public import NetworkCore
public import RxLite

// Each operator applies the method of `Response` with its name, whose documentation says what fails.

extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
  /// Forwards responses that `Response.filter(statusCodes:)` accepts.
  public func filter(statusCodes: some RangeExpression<Int>) -> Single<Response> {
    mapping { try $0.filter(statusCodes: statusCodes) }
  }

  /// An older name of `filter(statusCodes:)`.
  public func filterStatusCodes(_ statusCodes: some RangeExpression<Int>) -> Single<Response> {
    mapping { try $0.filter(statusCodes: statusCodes) }
  }

  /// Forwards responses that `Response.filter(statusCode:)` accepts.
  public func filter(statusCode: Int) -> Single<Response> {
    map { try $0.filter(statusCode: statusCode) }
  }

  /// Forwards responses that `Response.filterSuccessfulStatusCodes()` accepts.
  public func filterSuccessfulStatusCodes() -> Single<Response> {
    map { try $0.filterSuccessfulStatusCodes() }
  }

  /// Forwards responses that `Response.filterSuccessfulStatusAndRedirectCodes()` accepts.
  public func filterSuccessfulStatusAndRedirectCodes() -> Single<Response> {
    map { try $0.filterSuccessfulStatusAndRedirectCodes() }
  }

  /// Parses bodies as `Response.mapJSON(failsOnEmptyData:)` does.
  public func mapJSON(failsOnEmptyData: Bool = true) -> Single<Any> {
    map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
  }

  /// Returns bodies as text, as `Response.mapString(atKeyPath:)` does.
  public func mapString(atKeyPath keyPath: String? = nil) -> Single<String> {
    map { try $0.mapString(atKeyPath: keyPath) }
  }

  /// Decodes bodies as `Response.map(_:atKeyPath:using:failsOnEmptyData:)` does.
  @inlinable public func map<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .standard,
    failsOnEmptyData: Bool = true
  ) -> Single<D> {
    mapping {
      try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }
  }
}

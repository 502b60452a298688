public import Foundation
public import NetworkCore
public import RxLite

// Each operator applies the method of `Response` with its name, whose documentation says what fails.

extension ObservableType where Element == Response {
  /// Forwards responses that `Response.filter(statusCodes:)` accepts.
  public func filter(statusCodes: some RangeExpression<Int>) -> Observable<Response> {
    mapping { try $0.filter(statusCodes: statusCodes) }
  }

  /// An older name of `filter(statusCodes:)`.
  public func filterStatusCodes(_ statusCodes: some RangeExpression<Int>) -> Observable<Response> {
    mapping { try $0.filter(statusCodes: statusCodes) }
  }

  /// Forwards responses that `Response.filter(statusCode:)` accepts.
  public func filter(statusCode: Int) -> Observable<Response> {
    map { try $0.filter(statusCode: statusCode) }
  }

  /// Forwards responses that `Response.filterSuccessfulStatusCodes()` accepts.
  public func filterSuccessfulStatusCodes() -> Observable<Response> {
    map { try $0.filterSuccessfulStatusCodes() }
  }

  /// Forwards responses that `Response.filterSuccessfulStatusAndRedirectCodes()` accepts.
  public func filterSuccessfulStatusAndRedirectCodes() -> Observable<Response> {
    map { try $0.filterSuccessfulStatusAndRedirectCodes() }
  }

  /// Parses bodies as `Response.mapJSON(failsOnEmptyData:)` does.
  public func mapJSON(failsOnEmptyData: Bool = true) -> Observable<Any> {
    map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
  }

  /// Returns bodies as text, as `Response.mapString(atKeyPath:)` does.
  public func mapString(atKeyPath keyPath: String? = nil) -> Observable<String> {
    map { try $0.mapString(atKeyPath: keyPath) }
  }

  /// Decodes bodies as `Response.map(_:atKeyPath:using:failsOnEmptyData:)` does.
  @inlinable public func map<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .standard,
    failsOnEmptyData: Bool = true
  ) -> Observable<D> {
    mapping {
      try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }
  }
}

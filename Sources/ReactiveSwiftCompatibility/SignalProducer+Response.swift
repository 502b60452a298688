public import Foundation
public import NetworkCore
public import ObjectMapperCompatibility

// Each operator applies the method of `Response` with its name, whose documentation says what fails.

extension SignalProducer where Value == Response, Failure == NetworkError {
  /// Forwards responses that `Response.filter(statusCodes:)` accepts.
  public func filter(statusCodes: some RangeExpression<Int>) -> Self {
    attemptMap { try $0.filter(statusCodes: statusCodes) }
  }

  /// Forwards responses that `Response.filter(statusCode:)` accepts.
  public func filter(statusCode: Int) -> Self {
    attemptMap { try $0.filter(statusCode: statusCode) }
  }

  /// Forwards responses that `Response.filterSuccessfulStatusCodes()` accepts.
  public func filterSuccessfulStatusCodes() -> Self {
    attemptMap { try $0.filterSuccessfulStatusCodes() }
  }

  /// Forwards responses that `Response.filterSuccessfulStatusAndRedirectCodes()` accepts.
  public func filterSuccessfulStatusAndRedirectCodes() -> Self {
    attemptMap { try $0.filterSuccessfulStatusAndRedirectCodes() }
  }

  /// Parses bodies as `Response.mapJSON(failsOnEmptyData:)` does.
  public func mapJSON(failsOnEmptyData: Bool = true) -> SignalProducer<Any, NetworkError> {
    attemptMap { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
  }

  /// Returns bodies as text, as `Response.mapString(atKeyPath:)` does.
  public func mapString(atKeyPath keyPath: String? = nil) -> SignalProducer<String, NetworkError> {
    attemptMap { try $0.mapString(atKeyPath: keyPath) }
  }

  /// Decodes bodies as `Response.map(_:atKeyPath:using:failsOnEmptyData:)` does.
  public func map<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .standard,
    failsOnEmptyData: Bool = true
  ) -> SignalProducer<D, NetworkError> {
    attemptMap {
      try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }
  }

  /// Creates values as `Response.mapObject(type:atKeyPath:)` does.
  public func mapObject<Object: Mappable>(
    _ type: Object.Type, atKeyPath keyPath: String? = nil
  ) -> SignalProducer<Object, NetworkError> {
    attemptMap { try $0.mapObject(type: type, atKeyPath: keyPath) }
  }

  /// Creates arrays as `Response.mapArray(type:atKeyPath:)` does.
  public func mapArray<Object: Mappable>(
    _ type: Object.Type, atKeyPath keyPath: String? = nil
  ) -> SignalProducer<[Object], NetworkError> {
    attemptMap { try $0.mapArray(type: type, atKeyPath: keyPath) }
  }
}

extension SignalProducer where Value == ProgressResponse {
  /// Forwards only the response, which the last value has.
  ///
  /// - Returns: the producer of the response.
  public func filterCompleted() -> SignalProducer<Response, Failure> {
    compactMap(\.response)
  }

  /// Forwards the progress, from 0 to 1, without the value that has the response.
  ///
  /// - Returns: the producer of numbers.
  public func filterProgress() -> SignalProducer<Double, Failure> {
    compactMap { $0.completed ? nil : $0.progress }
  }
}

public import Foundation
public import NetworkCore
public import ObjectMapperCompatibility

extension SignalProducer where Value == Response, Failure == NetworkError {
  /// Fails with `NetworkError.statusCode` unless the status code is one of `statusCodes`.
  ///
  /// - Parameter statusCodes: the accepted codes.
  /// - Returns: the producer of the response.
  public func filter(statusCodes: some RangeExpression<Int>) -> Self {
    attemptMap { try $0.filter(statusCodes: statusCodes) }
  }

  /// Fails with `NetworkError.statusCode` unless the status code is `statusCode`.
  ///
  /// - Parameter statusCode: the accepted code.
  /// - Returns: the producer of the response.
  public func filter(statusCode: Int) -> Self {
    attemptMap { try $0.filter(statusCode: statusCode) }
  }

  /// Fails with `NetworkError.statusCode` unless the status code is 200 to 299.
  ///
  /// - Returns: the producer of the response.
  public func filterSuccessfulStatusCodes() -> Self {
    attemptMap { try $0.filterSuccessfulStatusCodes() }
  }

  /// Fails with `NetworkError.statusCode` unless the status code is 200 to 399.
  ///
  /// - Returns: the producer of the response.
  public func filterSuccessfulStatusAndRedirectCodes() -> Self {
    attemptMap { try $0.filterSuccessfulStatusAndRedirectCodes() }
  }

  /// Parses the body as JSON; a body that is not JSON fails with `NetworkError.jsonMapping`.
  ///
  /// - Parameter failsOnEmptyData: whether an empty body is an error; otherwise it becomes `NSNull`.
  /// - Returns: the producer of the value.
  public func mapJSON(failsOnEmptyData: Bool = true) -> SignalProducer<Any, NetworkError> {
    attemptMap { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
  }

  /// Returns the body as text, or the string at a key path in a JSON body.
  ///
  /// - Parameter keyPath: names joined by dots; `nil` for the whole body.
  /// - Returns: the producer of the text.
  public func mapString(atKeyPath keyPath: String? = nil) -> SignalProducer<String, NetworkError> {
    attemptMap { try $0.mapString(atKeyPath: keyPath) }
  }

  /// Decodes the body, or the value at a key path in it.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - keyPath: names joined by dots; `nil` for the whole body.
  ///   - decoder: the decoder to use.
  ///   - failsOnEmptyData: whether an empty body is an error; otherwise it is decoded as `{}` or `[]`.
  /// - Returns: the producer of the value.
  public func map<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .standard,
    failsOnEmptyData: Bool = true
  ) -> SignalProducer<D, NetworkError> {
    attemptMap {
      try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }
  }

  /// Creates a value from the JSON object in the body, at a key path if one is given.
  ///
  /// - Parameters:
  ///   - type: the type to create.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the producer of the value.
  public func mapObject<Object: Mappable>(
    _ type: Object.Type, atKeyPath keyPath: String? = nil
  ) -> SignalProducer<Object, NetworkError> {
    attemptMap { try $0.mapObject(type: type, atKeyPath: keyPath) }
  }

  /// Creates values from the JSON array of objects in the body, at a key path if one is given.
  ///
  /// - Parameters:
  ///   - type: the type to create; objects that it rejects are skipped.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the producer of the array.
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

public import Foundation
public import NetworkCore

extension SignalProducer where Value == Response, Failure == NetworkError {
  /// Fails with `NetworkError.statusCode` unless the status code is one of `statusCodes`.
  ///
  /// - Parameter statusCodes: the codes to let through.
  /// - Returns: the producer of the response.
  public func filter(statusCodes: some RangeExpression<Int>) -> Self {
    attemptMap { try $0.filter(statusCodes: statusCodes) }
  }

  /// Fails with `NetworkError.statusCode` unless the status code is `statusCode`.
  ///
  /// - Parameter statusCode: the code to let through.
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

  /// Reads the body as JSON; what is none fails with `NetworkError.jsonMapping`.
  ///
  /// - Parameter failsOnEmptyData: whether an empty body is an error; otherwise it is `NSNull`.
  /// - Returns: the producer of the value.
  public func mapJSON(failsOnEmptyData: Bool = true) -> SignalProducer<Any, NetworkError> {
    attemptMap { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
  }

  /// Reads the body, or the string at a key path of a JSON body, as text.
  ///
  /// - Parameter keyPath: names joined by dots; `nil` for the whole body.
  /// - Returns: the producer of the text.
  public func mapString(atKeyPath keyPath: String? = nil) -> SignalProducer<String, NetworkError> {
    attemptMap { try $0.mapString(atKeyPath: keyPath) }
  }

  /// Decodes the body, or what stands at a key path of it.
  ///
  /// - Parameters:
  ///   - type: what to decode.
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

  /// Makes a value of the JSON object that is the body, or stands at a key path of it.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the producer of the value.
  public func mapObject<Object: Mappable>(
    _ type: Object.Type, atKeyPath keyPath: String? = nil
  ) -> SignalProducer<Object, NetworkError> {
    attemptMap { try $0.mapObject(type: type, atKeyPath: keyPath) }
  }

  /// Makes values of the JSON objects in the array that is the body, or stands at a key path of it.
  ///
  /// - Parameters:
  ///   - type: what to make; objects that it refuses are left out.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the producer of the list.
  public func mapArray<Object: Mappable>(
    _ type: Object.Type, atKeyPath keyPath: String? = nil
  ) -> SignalProducer<[Object], NetworkError> {
    attemptMap { try $0.mapArray(type: type, atKeyPath: keyPath) }
  }
}

extension SignalProducer where Value == ProgressResponse {
  /// Lets the response through that the last value carries.
  ///
  /// - Returns: the producer of the response.
  public func filterCompleted() -> SignalProducer<Response, Failure> {
    compactMap(\.response)
  }

  /// Lets the progress through, from 0 to 1, without the value that carries the response.
  ///
  /// - Returns: the producer of numbers.
  public func filterProgress() -> SignalProducer<Double, Failure> {
    compactMap { $0.completed ? nil : $0.progress }
  }
}

public import Foundation
public import NetworkCore
public import RxLite

extension ObservableType where Element == Response {
  /// Lets each response through whose status code is one of `statusCodes`.
  ///
  /// Any other fails with `NetworkError.statusCode`.
  ///
  /// - Parameter statusCodes: the codes to let through.
  /// - Returns: the sequence of responses.
  public func filter(statusCodes: some RangeExpression<Int>) -> Observable<Response> {
    map { try $0.filter(statusCodes: statusCodes) }
  }

  /// The older spelling of `filter(statusCodes:)`.
  ///
  /// - Parameter statusCodes: the codes to let through.
  /// - Returns: the sequence of responses.
  public func filterStatusCodes(_ statusCodes: some RangeExpression<Int>) -> Observable<Response> {
    map { try $0.filter(statusCodes: statusCodes) }
  }

  /// Lets each response through whose status code is `statusCode`.
  ///
  /// Any other fails with `NetworkError.statusCode`.
  ///
  /// - Parameter statusCode: the code to let through.
  /// - Returns: the sequence of responses.
  public func filter(statusCode: Int) -> Observable<Response> {
    map { try $0.filter(statusCode: statusCode) }
  }

  /// Lets each response through whose status code is 200 to 299.
  ///
  /// Any other fails with `NetworkError.statusCode`.
  ///
  /// - Returns: the sequence of responses.
  public func filterSuccessfulStatusCodes() -> Observable<Response> {
    map { try $0.filterSuccessfulStatusCodes() }
  }

  /// Lets each response through whose status code is 200 to 399.
  ///
  /// Any other fails with `NetworkError.statusCode`.
  ///
  /// - Returns: the sequence of responses.
  public func filterSuccessfulStatusAndRedirectCodes() -> Observable<Response> {
    map { try $0.filterSuccessfulStatusAndRedirectCodes() }
  }

  /// Reads each body as JSON.
  ///
  /// What is not JSON fails with `NetworkError.jsonMapping`.
  ///
  /// - Parameter failsOnEmptyData: whether an empty body is an error; otherwise it is `NSNull`.
  /// - Returns: the sequence of values.
  public func mapJSON(failsOnEmptyData: Bool = true) -> Observable<Any> {
    map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
  }

  /// Reads each body, or the string at a key path of a JSON body, as text.
  ///
  /// - Parameter keyPath: names joined by dots, such as `user.name`; `nil` for the whole body, read as UTF-8.
  /// - Returns: the sequence of texts.
  public func mapString(atKeyPath keyPath: String? = nil) -> Observable<String> {
    map { try $0.mapString(atKeyPath: keyPath) }
  }

  /// Decodes each body, or what stands at a key path of it.
  ///
  /// What cannot be decoded fails with `NetworkError.objectMapping`, a body that is not JSON or has nothing at the key
  /// path with `.jsonMapping`.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - keyPath: names joined by dots, such as `data.items`; `nil` for the whole body.
  ///   - decoder: the decoder to use.
  ///   - failsOnEmptyData: whether an empty body is an error; otherwise it is decoded as `{}` or `[]`.
  /// - Returns: the sequence of the values.
  @inlinable public func map<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .standard,
    failsOnEmptyData: Bool = true
  ) -> Observable<D> {
    map {
      try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }
  }
}

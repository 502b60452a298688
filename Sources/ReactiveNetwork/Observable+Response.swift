public import Foundation
public import NetworkCore
public import RxLite

extension ObservableType where Element == Response {
  /// Forwards each response whose status code is one of `statusCodes`.
  ///
  /// Any other status fails with `NetworkError.statusCode`.
  ///
  /// - Parameter statusCodes: the accepted codes.
  /// - Returns: the sequence of responses.
  public func filter(statusCodes: some RangeExpression<Int>) -> Observable<Response> {
    mapping { try $0.filter(statusCodes: statusCodes) }
  }

  /// Forwards each response whose status code is one of `statusCodes`; an older name of
  /// `filter(statusCodes:)`.
  ///
  /// - Parameter statusCodes: the accepted codes.
  /// - Returns: the sequence of responses.
  public func filterStatusCodes(_ statusCodes: some RangeExpression<Int>) -> Observable<Response> {
    mapping { try $0.filter(statusCodes: statusCodes) }
  }

  /// Forwards each response whose status code is `statusCode`.
  ///
  /// Any other status fails with `NetworkError.statusCode`.
  ///
  /// - Parameter statusCode: the accepted code.
  /// - Returns: the sequence of responses.
  public func filter(statusCode: Int) -> Observable<Response> {
    map { try $0.filter(statusCode: statusCode) }
  }

  /// Forwards each response whose status code is 200 to 299.
  ///
  /// Any other status fails with `NetworkError.statusCode`.
  ///
  /// - Returns: the sequence of responses.
  public func filterSuccessfulStatusCodes() -> Observable<Response> {
    map { try $0.filterSuccessfulStatusCodes() }
  }

  /// Forwards each response whose status code is 200 to 399.
  ///
  /// Any other status fails with `NetworkError.statusCode`.
  ///
  /// - Returns: the sequence of responses.
  public func filterSuccessfulStatusAndRedirectCodes() -> Observable<Response> {
    map { try $0.filterSuccessfulStatusAndRedirectCodes() }
  }

  /// Parses each body as JSON.
  ///
  /// A body that is not JSON fails with `NetworkError.jsonMapping`.
  ///
  /// - Parameter failsOnEmptyData: whether an empty body is an error; otherwise it becomes `NSNull`.
  /// - Returns: the sequence of values.
  public func mapJSON(failsOnEmptyData: Bool = true) -> Observable<Any> {
    map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
  }

  /// Returns each body as text, or the string at a key path in a JSON body.
  ///
  /// - Parameter keyPath: names joined by dots, such as `user.name`; `nil` for the whole body, decoded as
  ///   UTF-8.
  /// - Returns: the sequence of texts.
  public func mapString(atKeyPath keyPath: String? = nil) -> Observable<String> {
    map { try $0.mapString(atKeyPath: keyPath) }
  }

  /// Decodes each body, or the value at a key path in it.
  ///
  /// A body that cannot be decoded fails with `NetworkError.objectMapping`. A body that is not JSON, or has
  /// nothing at the key path, fails with `.jsonMapping`.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - keyPath: names joined by dots, such as `data.items`; `nil` for the whole body.
  ///   - decoder: the decoder to use.
  ///   - failsOnEmptyData: whether an empty body is an error; otherwise it is decoded as `{}` or `[]`.
  /// - Returns: the sequence of values.
  @inlinable public func map<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .standard,
    failsOnEmptyData: Bool = true
  ) -> Observable<D> {
    mapping {
      try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }
  }
}

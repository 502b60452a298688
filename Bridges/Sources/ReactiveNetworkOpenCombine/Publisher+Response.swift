#if OPENCOMBINE
  public import Foundation
  public import NetworkCore
  public import OpenCombine
#elseif canImport(Combine)
  public import Combine
  public import Foundation
  public import NetworkCore
#endif

#if OPENCOMBINE || canImport(Combine)
  extension Publisher where Output == Response, Failure == NetworkError {
    /// Fails with `NetworkError.statusCode` unless the status code is one of `statusCodes`.
    ///
    /// - Parameter statusCodes: the accepted codes.
    /// - Returns: the publisher of the response.
    public func filter(statusCodes: some RangeExpression<Int>) -> AnyPublisher<Response, NetworkError> {
      attempt { try $0.filter(statusCodes: statusCodes) }
    }

    /// Fails with `NetworkError.statusCode` unless the status code is `statusCode`.
    ///
    /// - Parameter statusCode: the accepted code.
    /// - Returns: the publisher of the response.
    public func filter(statusCode: Int) -> AnyPublisher<Response, NetworkError> {
      attempt { try $0.filter(statusCode: statusCode) }
    }

    /// Fails with `NetworkError.statusCode` unless the status code is 200 to 299.
    ///
    /// - Returns: the publisher of the response.
    public func filterSuccessfulStatusCodes() -> AnyPublisher<Response, NetworkError> {
      attempt { try $0.filterSuccessfulStatusCodes() }
    }

    /// Fails with `NetworkError.statusCode` unless the status code is 200 to 399.
    ///
    /// - Returns: the publisher of the response.
    public func filterSuccessfulStatusAndRedirectCodes() -> AnyPublisher<Response, NetworkError> {
      attempt { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    /// Parses the body as JSON; a body that is not JSON fails with `NetworkError.jsonMapping`.
    ///
    /// - Parameter failsOnEmptyData: whether an empty body is an error; otherwise it becomes `NSNull`.
    /// - Returns: the publisher of the value.
    public func mapJSON(failsOnEmptyData: Bool = true) -> AnyPublisher<Any, NetworkError> {
      attempt { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// Returns the body as text, or the string at a key path in a JSON body.
    ///
    /// - Parameter keyPath: names joined by dots; `nil` for the whole body.
    /// - Returns: the publisher of the text.
    public func mapString(atKeyPath keyPath: String? = nil) -> AnyPublisher<String, NetworkError> {
      attempt { try $0.mapString(atKeyPath: keyPath) }
    }

    /// Decodes the body, or the value at a key path in it.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - keyPath: names joined by dots; `nil` for the whole body.
    ///   - decoder: the decoder to use.
    ///   - failsOnEmptyData: whether an empty body is an error; otherwise it is decoded as `{}` or `[]`.
    /// - Returns: the publisher of the value.
    public func map<D: Decodable>(
      _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = JSONDecoder(),
      failsOnEmptyData: Bool = true
    ) -> AnyPublisher<D, NetworkError> {
      attempt {
        try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
      }
    }

    /// Transforms each response with a method of `Response`, which throws only `NetworkError`.
    private func attempt<Value>(
      _ transform: @escaping (Response) throws -> Value
    ) -> AnyPublisher<Value, NetworkError> {
      tryMap(transform)
        .mapError { $0 as? NetworkError ?? .underlying($0) }
        .eraseToAnyPublisher()
    }
  }

  extension Publisher where Output == ProgressResponse {
    /// Forwards only the response, which the last value has.
    ///
    /// - Returns: the publisher of the response.
    public func filterCompleted() -> AnyPublisher<Response, Failure> {
      compactMap(\.response).eraseToAnyPublisher()
    }

    /// Forwards the progress, from 0 to 1, without the value that has the response.
    ///
    /// - Returns: the publisher of numbers.
    public func filterProgress() -> AnyPublisher<Double, Failure> {
      compactMap { $0.completed ? nil : $0.progress }.eraseToAnyPublisher()
    }
  }
#endif

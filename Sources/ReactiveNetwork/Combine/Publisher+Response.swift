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
  // Each operator applies the method of `Response` with its name, whose documentation says what fails.

  extension Publisher where Output == Response, Failure == NetworkError {
    /// Forwards responses that `Response.filter(statusCodes:)` accepts.
    public func filter(statusCodes: some RangeExpression<Int>) -> AnyPublisher<Response, NetworkError> {
      attempt { try $0.filter(statusCodes: statusCodes) }
    }

    /// Forwards responses that `Response.filter(statusCode:)` accepts.
    public func filter(statusCode: Int) -> AnyPublisher<Response, NetworkError> {
      attempt { try $0.filter(statusCode: statusCode) }
    }

    /// Forwards responses that `Response.filterSuccessfulStatusCodes()` accepts.
    public func filterSuccessfulStatusCodes() -> AnyPublisher<Response, NetworkError> {
      attempt { try $0.filterSuccessfulStatusCodes() }
    }

    /// Forwards responses that `Response.filterSuccessfulStatusAndRedirectCodes()` accepts.
    public func filterSuccessfulStatusAndRedirectCodes() -> AnyPublisher<Response, NetworkError> {
      attempt { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    /// Parses bodies as `Response.mapJSON(failsOnEmptyData:)` does.
    public func mapJSON(failsOnEmptyData: Bool = true) -> AnyPublisher<Any, NetworkError> {
      attempt { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// Returns bodies as text, as `Response.mapString(atKeyPath:)` does.
    public func mapString(atKeyPath keyPath: String? = nil) -> AnyPublisher<String, NetworkError> {
      attempt { try $0.mapString(atKeyPath: keyPath) }
    }

    /// Decodes bodies as `Response.map(_:atKeyPath:using:failsOnEmptyData:)` does.
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

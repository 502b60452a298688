public import Foundation
public import NetworkCore
public import RxLite

extension ObservableType {
  /// Converts every error to an `APIError`.
  ///
  /// - Parameters:
  ///   - type: the type that the body of a response with a status of 4xx decodes to.
  ///   - decoder: the decoder to use.
  /// - Returns: the sequence, which fails with an `APIError<ClientError>`.
  public func mapError<ClientError: Decodable & Sendable>(
    to type: ClientError.Type, using decoder: JSONDecoder = .standard
  ) -> Observable<Element> {
    self.catch { throw APIError<ClientError>(error: $0, of: "\(Element.self)", decoder) }
  }
}

extension ObservableType where Element == Response {
  /// Fails with the error that the body describes if the status of a response is 4xx.
  ///
  /// - Parameters:
  ///   - type: the type that the body of such a response decodes to.
  ///   - decoder: the decoder to use.
  /// - Returns: the sequence, which fails with `APIError.clientError` for such responses.
  public func decodeClientError<ClientError: Decodable & Sendable>(
    as type: ClientError.Type, using decoder: JSONDecoder = .standard
  ) -> Observable<Response> {
    map { response in
      guard response.status.category == .clientError else { return response }
      throw APIError<ClientError>.refusal(response, decoder)
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Converts every error to an `APIError`.
  ///
  /// - Parameters:
  ///   - type: the type that the body of a response with a status of 4xx decodes to.
  ///   - decoder: the decoder to use.
  /// - Returns: the single, which fails with an `APIError<ClientError>`.
  public func mapError<ClientError: Decodable & Sendable>(
    to type: ClientError.Type, using decoder: JSONDecoder = .standard
  ) -> Single<Element> {
    asObservable().mapError(to: type, using: decoder).asSingle()
  }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
  /// Fails with the error that the body describes if the status of the response is 4xx.
  ///
  /// - Parameters:
  ///   - type: the type that the body of such a response decodes to.
  ///   - decoder: the decoder to use.
  /// - Returns: the single, which fails with `APIError.clientError` for such a response.
  public func decodeClientError<ClientError: Decodable & Sendable>(
    as type: ClientError.Type, using decoder: JSONDecoder = .standard
  ) -> Single<Response> {
    asObservable().decodeClientError(as: type, using: decoder).asSingle()
  }
}

extension APIError {
  /// Converts the error of a request for a value of the given type.
  fileprivate init(error: any Error, of type: String, _ decoder: JSONDecoder) {
    switch error {
    case let error as APIError<ClientError>: self = error
    case NetworkError.statusCode(let response):
      self = .refusal(response, decoder)
    case NetworkError.objectMapping(let error, _):
      self = .responseDataConversionFailed(type: type, error: error)
    case NetworkError.jsonMapping(_), NetworkError.stringMapping(_), NetworkError.imageMapping(_):
      self = .responseDataConversionFailed(type: type, error: error)
    default: self = .noResponseReceived(error: NetworkError(wrapping: error))
    }
  }

  fileprivate static func refusal(_ response: Response, _ decoder: JSONDecoder) -> APIError<ClientError> {
    switch response.status.category {
    case .clientError:
      .clientError(
        statusCode: response.statusCode,
        clientError: response.decodeClientError(as: ClientError.self, using: decoder))
    case .serverError: .serverError(statusCode: response.statusCode)
    case .success, .informational, .redirection, nil: .unexpectedStatusCode(statusCode: response.statusCode)
    }
  }
}

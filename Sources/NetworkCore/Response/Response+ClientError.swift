public import Foundation

/// A placeholder for a response body that is not needed; any body, including an empty one, decodes to it.
public struct EmptyBodyResponse: Decodable, Sendable, Hashable {
  /// Creates a placeholder.
  public init() {}

  /// Creates a placeholder without reading from the decoder.
  public init(from decoder: any Decoder) {}
}

extension Response {
  /// Decodes the body of a response with a 4xx status.
  ///
  /// - Parameters:
  ///   - type: the type of the API's errors.
  ///   - decoder: the decoder to use.
  /// - Returns: the error; `nil` if the status is not 4xx or the body cannot be decoded.
  public func decodeClientError<ClientError: Decodable>(
    as type: ClientError.Type, using decoder: JSONDecoder = .standard
  ) -> ClientError? {
    guard status.category == .clientError else { return nil }
    return try? decoder.decode(type, from: data)
  }

  /// Decodes the body of a successful response, or throws a typed error.
  ///
  /// As `type`, `EmptyBodyResponse` accepts any body, and `Data` returns the bytes unchanged.
  ///
  /// - Parameters:
  ///   - type: the type of the body of a successful response.
  ///   - clientErrorType: the type of the body of a response with a 4xx status.
  ///   - decoder: the decoder to use.
  /// - Returns: the value.
  /// - Throws: an `APIError`.
  public func decode<Body: Decodable, ClientError>(
    _ type: Body.Type, orClientError clientErrorType: ClientError.Type,
    using decoder: JSONDecoder = .standard
  ) throws(APIError<ClientError>) -> Body {
    switch status.category {
    case .success:
      if let empty = EmptyBodyResponse() as? Body { return empty }
      if let data = data as? Body { return data }
      if data.isEmpty { throw .noDataInResponse(statusCode: statusCode) }
      do {
        return try decoder.decode(type, from: data)
      } catch {
        throw .responseDataConversionFailed(type: "\(type)", error: error)
      }
    case .clientError:
      throw .clientError(
        statusCode: statusCode, clientError: decodeClientError(as: clientErrorType, using: decoder))
    case .serverError:
      throw .serverError(statusCode: statusCode)
    case .informational, .redirection, nil:
      throw .unexpectedStatusCode(statusCode: statusCode)
    }
  }
}

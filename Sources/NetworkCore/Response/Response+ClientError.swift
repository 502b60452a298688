public import Foundation

/// The body of an answer that nobody wants to read: decodes from anything, and from nothing.
public struct EmptyBodyResponse: Decodable, Sendable, Hashable {
  /// Makes one.
  public init() {}

  /// Reads nothing.
  public init(from decoder: any Decoder) {}
}

extension Response {
  /// What the body of a refusal says.
  ///
  /// - Parameters:
  ///   - type: what the API's errors decode to.
  ///   - decoder: the decoder to use.
  /// - Returns: the error; `nil` for a status other than 4xx and for a body that does not decode.
  public func decodeClientError<ClientError: Decodable>(
    as type: ClientError.Type, using decoder: JSONDecoder = .standard
  ) -> ClientError? {
    guard status.category == .clientError else { return nil }
    return try? decoder.decode(type, from: data)
  }

  /// The body of a success, decoded; or why there is none, typed.
  ///
  /// `EmptyBodyResponse` takes any body, `Data` the bytes as they are.
  ///
  /// - Parameters:
  ///   - type: what the body of a success decodes to.
  ///   - clientErrorType: what the body of a refusal decodes to.
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

public import struct Foundation.Data

/// `NetworkProvider` in Microya's spelling.
public typealias ApiProvider = NetworkProvider
/// `APIError` in Microya's spelling.
public typealias ApiError = APIError
/// `HTTPStatus` in Microya's spelling.
public typealias HttpStatus = HTTPStatus
/// Microya's type for a method with its body.
public typealias HttpMethod = Microya.HttpMethod

/// `Microya.Plugin` without the module's name.
public typealias Plugin = Microya.Plugin

/// Stands in for Microya's module name, and contains the types that differ from this module's.
///
/// ```swift
/// enum Translator {
///   case languages
///   case translate(Data)
/// }
///
/// extension Translator: Microya.Endpoint {
///   typealias ClientErrorType = EmptyBodyResponse
///   var baseUrl: URL { URL(string: "https://translator.example")! }
///   var subpath: String { "/languages" }
///   var method: HttpMethod {
///     switch self {
///     case .languages: .get
///     case .translate(let texts): .post(body: texts)
///     }
///   }
/// }
/// ```
public enum Microya {
  /// See `NetworkProvider`.
  public typealias ApiProvider = NetworkProvider
  /// See `APIError`.
  public typealias ApiError = APIError
  /// See `HTTPStatus`.
  public typealias HttpStatus = HTTPStatus
  /// See `EmptyBodyResponse`.
  public typealias EmptyBodyResponse = NetworkCore.EmptyBodyResponse
  /// See `MockedResponse`.
  public typealias MockedResponse = NetworkCore.MockedResponse
  /// See `MockingBehavior`.
  public typealias MockingBehavior = NetworkCore.MockingBehavior
  /// See `QueryParameterValue`.
  public typealias QueryParameterValue = NetworkCore.QueryParameterValue

  /// A method with its body.
  public enum HttpMethod: Sendable, Hashable {
    /// `GET`.
    case get
    /// `POST` with a body.
    case post(body: Data)
    /// `PATCH` with a body.
    case patch(body: Data)
    /// `DELETE`.
    case delete
  }
}

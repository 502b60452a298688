#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The way in which a user's name and password authenticate a request.
public enum AuthenticationScheme: Sendable, Hashable {
  /// Both are sent with the first request (RFC 7617).
  case basic
  /// The server sends a challenge, and the reply does not contain the password (RFC 7616).
  ///
  /// `CurlTransport` supports it; with `URLSessionTransport`, such a request fails.
  case digest
}

/// A request that is about to be sent, as plugins see it in `willSend`.
///
/// `@preconcurrency` lets test doubles compile that were written for Moya as classes that are not `final`.
@preconcurrency public protocol RequestType: Sendable {
  /// The request after every plugin's `prepare`.
  var request: URLRequest? { get }
  /// The header fields that the transport adds if the request does not set them.
  var sessionHeaders: [String: String] { get }

  /// Sends a user's name and password with the Basic scheme, unless the request has an `Authorization` field.
  ///
  /// The last credential that plugins set during `willSend` takes effect. A credential that is set after
  /// `willSend` is ignored.
  ///
  /// - Parameter credential: the name and password; ignored if either is missing.
  /// - Returns: the request.
  @discardableResult func authenticate(with credential: URLCredential) -> Self

  /// Authenticates with a user's name and password, unless the request has an `Authorization` field.
  ///
  /// The last credential that plugins set during `willSend` takes effect. A credential that is set after
  /// `willSend` is ignored.
  ///
  /// - Parameters:
  ///   - credential: the name and password; ignored if either is missing.
  ///   - scheme: the authentication scheme.
  /// - Returns: the request.
  @discardableResult func authenticate(with credential: URLCredential, scheme: AuthenticationScheme) -> Self

  /// Passes the request to a handler as a shell command after a prompt: `$ curl -v -X GET …`.
  ///
  /// The command contains the request's secrets; `NetworkLoggerPlugin` hides them.
  ///
  /// - Parameter handler: receives the command, before this function returns.
  /// - Returns: the request.
  @discardableResult func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self
}

extension RequestType {
  /// Sends a user's name and password with the request; see `authenticate(with:)`.
  ///
  /// - Parameters:
  ///   - username: the user's name, without a colon.
  ///   - password: the password.
  ///   - persistence: has no effect, because nothing is stored.
  /// - Returns: the request.
  @discardableResult public func authenticate(
    username: String, password: String, persistence: URLCredential.Persistence = .forSession
  ) -> Self {
    authenticate(with: URLCredential(user: username, password: password, persistence: persistence))
  }

  /// Does nothing.
  @discardableResult public func authenticate(with credential: URLCredential) -> Self { self }

  /// Calls `authenticate(with:)` for Basic, and does nothing for any other scheme.
  @discardableResult public func authenticate(with credential: URLCredential, scheme: AuthenticationScheme)
    -> Self
  {
    scheme == .basic ? authenticate(with: credential) : self
  }

  /// Passes the request to the handler as a shell command.
  @discardableResult public func cURLDescription(calling handler: @escaping @Sendable (String) -> Void)
    -> Self
  {
    handler(request.map { CurlCommand($0, sessionHeaders: sessionHeaders).text } ?? "")
    return self
  }
}

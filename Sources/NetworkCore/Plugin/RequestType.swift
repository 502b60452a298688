#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// How a user's name and password are proved to a server.
public enum AuthenticationScheme: Sendable, Hashable {
  /// Both are sent with the first request (RFC 7617).
  case basic
  /// The server is asked first, and then answered without saying the password (RFC 7616).
  ///
  /// `CurlTransport` can do it; `URLSessionTransport` ends such a request.
  case digest
}

/// A request that is about to be sent, as plugins see it in `willSend`.
public protocol RequestType: Sendable {
  /// The request after every plugin's `prepare`.
  var request: URLRequest? { get }
  /// The header fields that the transport adds where the request does not set them.
  var sessionHeaders: [String: String] { get }

  /// Sends a user's name and password with the request, as Basic, unless it has an `Authorization` already.
  ///
  /// The last credential given during `willSend` counts; one that is given later has no effect.
  ///
  /// - Parameter credential: the name and password; one without is ignored.
  /// - Returns: the request.
  @discardableResult func authenticate(with credential: URLCredential) -> Self

  /// Authenticates with a user's name and password, unless the request has an `Authorization` already.
  ///
  /// The last credential given during `willSend` counts; one that is given later has no effect.
  ///
  /// - Parameters:
  ///   - credential: the name and password; one without is ignored.
  ///   - scheme: how they are proved.
  /// - Returns: the request.
  @discardableResult func authenticate(with credential: URLCredential, scheme: AuthenticationScheme) -> Self

  /// Gives the request as a command for a shell, behind a prompt: `$ curl -v -X GET …`.
  ///
  /// It holds the request's secrets; `NetworkLoggerPlugin` hides them.
  ///
  /// - Parameter handler: gets the command, before this returns.
  /// - Returns: the request.
  @discardableResult func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self
}

extension RequestType {
  /// Sends a user's name and password with the request; see `authenticate(with:)`.
  ///
  /// - Parameters:
  ///   - username: the user's name, without a colon.
  ///   - password: the password.
  ///   - persistence: of no effect, since nothing is stored.
  /// - Returns: the request.
  @discardableResult public func authenticate(
    username: String, password: String, persistence: URLCredential.Persistence = .forSession
  ) -> Self {
    authenticate(with: URLCredential(user: username, password: password, persistence: persistence))
  }

  /// Nothing.
  @discardableResult public func authenticate(with credential: URLCredential) -> Self { self }

  /// `authenticate(with:)` for Basic, and nothing for another scheme.
  @discardableResult public func authenticate(with credential: URLCredential, scheme: AuthenticationScheme)
    -> Self
  {
    scheme == .basic ? authenticate(with: credential) : self
  }

  /// Gives the request as a command for a shell.
  @discardableResult public func cURLDescription(calling handler: @escaping @Sendable (String) -> Void)
    -> Self
  {
    handler(request.map { CurlCommand($0, sessionHeaders: sessionHeaders).text } ?? "")
    return self
  }
}

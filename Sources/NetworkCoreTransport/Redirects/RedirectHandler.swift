#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Decides how a `Session` handles redirects, with the method of Alamofire's protocol.
///
/// The handler receives requests that already follow RFC 9110: its rules for method and body have been
/// applied, and credentials, trace contexts and conditions have stayed with their origin. If the handler
/// returns another origin, they are removed as well, unless it sets others. A redirect from `https` to `http`
/// ends the request without a call of the handler. So does the seventeenth redirect.
@preconcurrency public protocol RedirectHandler: Sendable {
  /// Decides about one redirect, at once or later.
  ///
  /// - Parameters:
  ///   - task: provides the requests so far as `originalRequest` and `currentRequest`, and the redirect as
  ///     `response`. It is never started, so cancelling it has no effect.
  ///   - request: the request to send if the redirect is followed.
  ///   - response: the redirect.
  ///   - completion: receives the request to send next, or `nil` to deliver the redirect as the response. May
  ///     be called on any thread; only the first call counts. Releasing it without calling it counts as
  ///     `nil`.
  func task(
    _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void)
}

/// Follows redirects, follows none, or calls a closure.
public struct Redirector: RedirectHandler {
  /// The handling of redirects.
  public enum Behavior: Sendable {
    /// Follows up to sixteen redirects.
    case follow
    /// Follows none: the redirect is the response.
    case doNotFollow
    /// Calls the closure for each redirect: it returns the request to send next, or `nil` to deliver the
    /// redirect as the response.
    case modify(
      @Sendable (_ task: URLSessionTask, _ request: URLRequest, _ response: HTTPURLResponse) -> URLRequest?)
  }

  /// Follows redirects.
  public static let follow = Redirector(behavior: .follow)
  /// Follows no redirects.
  public static let doNotFollow = Redirector(behavior: .doNotFollow)

  /// The handling of redirects.
  public let behavior: Behavior

  /// Creates a redirector.
  ///
  /// - Parameter behavior: the handling of redirects.
  public init(behavior: Behavior) {
    self.behavior = behavior
  }

  /// Decides about one redirect.
  public func task(
    _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void
  ) {
    switch behavior {
    case .follow: completion(request)
    case .doNotFollow: completion(nil)
    case .modify(let change): completion(change(task, request, response))
    }
  }
}

extension RedirectHandler where Self == Redirector {
  /// Follows redirects.
  public static var follow: Redirector { Redirector.follow }
  /// Follows no redirects: the redirect is the response.
  public static var doNotFollow: Redirector { Redirector.doNotFollow }

  /// Calls a closure for each redirect.
  ///
  /// - Parameter closure: returns the request to send next, or `nil` to deliver the redirect as the response.
  /// - Returns: the redirector.
  public static func modify(
    using closure: @escaping @Sendable (URLSessionTask, URLRequest, HTTPURLResponse) -> URLRequest?
  ) -> Redirector {
    Redirector(behavior: .modify(closure))
  }
}

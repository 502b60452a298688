#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Decides what a `Session` does with redirects, in the shape that Alamofire has it.
///
/// It is asked about requests that have been made by RFC 9110: method and body change as that says, and credentials have
/// stayed with their origin. Where the handler names another one, they stay behind as well, unless it puts others in their
/// place. A redirect from `https` to `http` ends the request without a question, and so do more than sixteen.
@preconcurrency public protocol RedirectHandler: Sendable {
  /// Decides about one redirect, at once or later.
  ///
  /// - Parameters:
  ///   - task: what has been asked so far: its `originalRequest`, `currentRequest` and `response`. It carries nothing, so that
  ///     cancelling it has no effect.
  ///   - request: the request that the redirect asks for.
  ///   - response: the redirect.
  ///   - completion: gets the request to go on with, `nil` to take the redirect as the answer; on any thread, only the first
  ///     call counts. One that is let go of without a call means `nil`.
  func task(
    _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void)
}

/// Follows redirects, or does not, or asks a closure.
public struct Redirector: RedirectHandler {
  /// What is done with redirects.
  public enum Behavior: Sendable {
    /// Sixteen are followed.
    case follow
    /// None is: the redirect is the answer.
    case doNotFollow
    /// Each is asked about: the closure gives the request to go on with, `nil` to take the redirect as the answer.
    case modify(
      @Sendable (_ task: URLSessionTask, _ request: URLRequest, _ response: HTTPURLResponse) -> URLRequest?)
  }

  /// Follows redirects.
  public static let follow = Redirector(behavior: .follow)
  /// Follows none.
  public static let doNotFollow = Redirector(behavior: .doNotFollow)

  /// What is done with redirects.
  public let behavior: Behavior

  /// Makes a redirector.
  ///
  /// - Parameter behavior: what is done with redirects.
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
  /// Follows none: the redirect is the answer.
  public static var doNotFollow: Redirector { Redirector.doNotFollow }

  /// Asks for each redirect.
  ///
  /// - Parameter closure: gives the request to go on with, `nil` to take the redirect as the answer.
  /// - Returns: the redirector.
  public static func modify(
    using closure: @escaping @Sendable (URLSessionTask, URLRequest, HTTPURLResponse) -> URLRequest?
  ) -> Redirector {
    Redirector(behavior: .modify(closure))
  }
}

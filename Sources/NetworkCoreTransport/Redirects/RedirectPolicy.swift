/// The handling of responses that redirect (301, 302, 303, 307 and 308 with a `Location`).
///
/// ```swift
/// var configuration = CurlConfiguration()
/// configuration.redirects = .modify { next, response in
///   response.headers["X-Stay"] == nil ? next : nil
/// }
/// ```
///
/// Every policy applies the rules of RFC 9110 to method and body, and keeps credentials, trace contexts and
/// conditions with their origin. The latter also holds if a closure names another URL, unless the closure sets
/// others.
public struct RedirectPolicy: Sendable {
  /// Changes the request to send after a redirect; returns `nil` to deliver the redirect as the response.
  ///
  /// It receives the request that follows from RFC 9110, and the head of the redirect. Called on a background
  /// thread, like the handler of a transfer: if it blocks, only its own transfer waits, whose time limits
  /// continue to apply.
  public typealias Change =
    @Sendable (_ next: TransportRequest, _ response: ResponseHead) -> TransportRequest?

  /// The maximum number of redirects of a request; one more ends it with `.tooManyRedirects`.
  package let limit: Int
  /// Whether a redirect may lead from `https` to `http`.
  package let allowsDowngrade: Bool
  package let change: Change?

  /// The maximum number of redirects of a request by default.
  package static let standardLimit = 16
  /// The maximum number of bytes in the body of a redirect; they are read and discarded, so that the
  /// connection can be kept.
  package static let bodyLimit = 1 << 20

  /// Whether any redirect is followed.
  package var follows: Bool { limit > 0 || change != nil }

  /// Follows redirects.
  ///
  /// - Parameters:
  ///   - max: the maximum number of redirects of a request; one more ends it with `.tooManyRedirects`.
  ///   - allowsDowngrade: whether a redirect may lead from `https` to `http`; attackers on the network path
  ///     can then read the request.
  /// - Returns: the policy.
  public static func follow(max: Int = 16, allowsDowngrade: Bool = false) -> RedirectPolicy {
    RedirectPolicy(limit: Swift.max(0, max), allowsDowngrade: allowsDowngrade, change: nil)
  }

  /// Follows sixteen redirects.
  public static let follow = RedirectPolicy.follow()

  /// Follows no redirects: the redirect is the response.
  public static let doNotFollow = RedirectPolicy(limit: 0, allowsDowngrade: false, change: nil)

  /// Calls a closure for each redirect.
  ///
  /// - Parameters:
  ///   - max: the maximum number of redirects of a request; one more ends it with `.tooManyRedirects`.
  ///   - allowsDowngrade: whether a redirect may lead from `https` to `http`.
  ///   - change: changes the request; returns `nil` to deliver the redirect as the response.
  /// - Returns: the policy.
  public static func modify(
    max: Int = 16, allowsDowngrade: Bool = false, _ change: @escaping Change
  ) -> RedirectPolicy {
    RedirectPolicy(limit: Swift.max(0, max), allowsDowngrade: allowsDowngrade, change: change)
  }
}

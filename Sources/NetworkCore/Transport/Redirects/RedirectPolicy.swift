/// What a transport does with an answer that asks for another request (301, 302, 303, 307 and 308 with a `Location`).
///
/// ```swift
/// var configuration = CurlConfiguration()
/// configuration.redirects = .modify { next, answer in
///   answer.headers["X-Stay"] == nil ? next : nil
/// }
/// ```
///
/// Whatever the policy: method and body change as RFC 9110 says, and credentials stay with their origin, also where a closure
/// names another URL, unless it puts others in their place.
public struct RedirectPolicy: Sendable {
  /// Makes something else of the request that a redirect asks for; `nil` to take the redirect as the answer.
  ///
  /// It gets the request as the rules make it, and the head of the answer. Called on the transport's thread.
  public typealias Change = @Sendable (_ next: TransportRequest, _ answer: ResponseHead) -> TransportRequest?

  /// How many redirects a request may take; one more ends it with `.tooManyRedirects`.
  let limit: Int
  /// Whether a secure request may become a plain one.
  let allowsDowngrade: Bool
  let change: Change?

  /// Whether any redirect is followed.
  var follows: Bool { limit > 0 || change != nil }

  /// Follows redirects.
  ///
  /// - Parameters:
  ///   - max: how many a request may take; one more ends it with `.tooManyRedirects`.
  ///   - allowsDowngrade: whether one may lead from `https` to `http`, where everybody on the way can read along.
  /// - Returns: the policy.
  public static func follow(max: Int = 16, allowsDowngrade: Bool = false) -> RedirectPolicy {
    RedirectPolicy(limit: Swift.max(0, max), allowsDowngrade: allowsDowngrade, change: nil)
  }

  /// Follows sixteen redirects.
  public static let follow = RedirectPolicy.follow()

  /// Follows none: the redirect is the answer.
  public static let doNotFollow = RedirectPolicy(limit: 0, allowsDowngrade: false, change: nil)

  /// Asks for each redirect.
  ///
  /// - Parameters:
  ///   - max: how many a request may take; one more ends it with `.tooManyRedirects`.
  ///   - allowsDowngrade: whether one may lead from `https` to `http`.
  ///   - change: makes something else of the request; `nil` to take the redirect as the answer.
  /// - Returns: the policy.
  public static func modify(
    max: Int = 16, allowsDowngrade: Bool = false, _ change: @escaping Change
  ) -> RedirectPolicy {
    RedirectPolicy(limit: Swift.max(0, max), allowsDowngrade: allowsDowngrade, change: change)
  }
}

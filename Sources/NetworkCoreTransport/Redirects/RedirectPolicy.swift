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
  /// thread, like the handler of a transfer: if it blocks, only its own transfer waits, and the handlers of others
  /// for a few milliseconds. If it computes, those handlers wait for up to two seconds. A time limit that has passed
  /// meanwhile ends the transfer when it returns.
  public typealias Change =
    @Sendable (_ next: TransportRequest, _ response: ResponseHead) -> TransportRequest?

  /// The maximum number of redirects of a request; one more ends it with `.tooManyRedirects`.
  package let limit: Int
  /// Whether a redirect may lead from `https` to `http`.
  package let allowsDowngrade: Bool
  /// Whether redirects are followed, up to the limit.
  package let follows: Bool
  package let decision: Decision?

  /// The maximum number of redirects of a request by default.
  package static let standardLimit = 16
  /// The maximum number of bytes in the body of a redirect; they are read even if nothing needs them, so that
  /// the connection can be kept.
  package static let bodyLimit = 1 << 20
  /// The error of a redirect with a longer body.
  package static let bodyTooLong = TransferError.badServerResponse(
    reason: "the body of a redirect has more than \(bodyLimit) bytes")

  /// Decides about a redirect, at once or later.
  ///
  /// Calls the closure with the request to send next, or with `nil` to deliver the redirect as the response. An
  /// error ends the transfer.
  package typealias Decision =
    @Sendable (Redirection, @escaping @Sendable (TransportRequest?) -> Void) throws(TransferError) -> Void

  /// Follows redirects.
  ///
  /// - Parameters:
  ///   - max: the maximum number of redirects of a request; one more ends it with `.tooManyRedirects`.
  ///   - allowsDowngrade: whether a redirect may lead from `https` to `http`; attackers on the network path
  ///     can then read the request.
  /// - Returns: the policy.
  public static func follow(max: Int = 16, allowsDowngrade: Bool = false) -> RedirectPolicy {
    RedirectPolicy(limit: Swift.max(0, max), allowsDowngrade: allowsDowngrade, follows: true, decision: nil)
  }

  /// Follows sixteen redirects.
  public static let follow = RedirectPolicy.follow()

  /// Follows no redirects: the redirect is the response.
  public static let doNotFollow = RedirectPolicy(
    limit: 0, allowsDowngrade: false, follows: false, decision: nil)

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
    RedirectPolicy(limit: Swift.max(0, max), allowsDowngrade: allowsDowngrade, follows: true) {
      redirection, proceed in
      proceed(change(redirection.proposed, redirection.head))
    }
  }
}

/// A redirect about which a policy decides.
package struct Redirection: Sendable {
  /// The first request of the transfer.
  package let original: TransportRequest
  /// The request that was redirected.
  package let current: TransportRequest
  /// The request that follows from RFC 9110.
  package let proposed: TransportRequest
  /// The head of the redirect.
  package let head: ResponseHead
}

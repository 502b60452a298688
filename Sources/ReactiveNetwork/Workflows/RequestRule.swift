import NetworkCore
import RxLite

/// A rule about the requests of a subscription, in its context.
protocol RequestRule: SubscriptionRule {
  /// Checks a request before it is sent.
  ///
  /// - Parameters:
  ///   - method: the method of the request.
  ///   - origin: returns the origin of the request.
  /// - Throws: the error of the request, which breaks the rule and must not be sent.
  func check(_ method: HTTPMethod, _ origin: () -> String) throws
}

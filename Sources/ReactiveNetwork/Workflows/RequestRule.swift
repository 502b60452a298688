import NetworkCore
import RxLite

/// A rule about the requests of a subscription, in its context.
protocol RequestRule: SubscriptionRule {
  /// Checks a request before it is sent.
  ///
  /// - Parameters:
  ///   - endpoint: the endpoint of the request.
  ///   - origin: returns the origin of the request.
  /// - Throws: the error of the request, which breaks the rule and must not be sent.
  func check(_ endpoint: Endpoint, _ origin: () -> String) throws
}

import NetworkCore
import RxLite

/// Ends an attempt to send a body that can be read only once and has been read, with the error of the attempt before.
struct SpentBodyRule: RequestRule {
  /// Throws that error, if there was one.
  let refuse: @Sendable () throws -> Void

  func check(_ endpoint: Endpoint, _ origin: () -> String) throws {
    if endpoint.hasSpentBody { try refuse() }
  }

  func ruleForSharedSource(isForeign: Bool) -> (any SubscriptionRule)? { isForeign ? nil : self }
}

extension Endpoint {
  /// Whether the body can be read only once and has been read.
  var hasSpentBody: Bool { task.streamsReadOnce.contains(where: \.isSpent) }
}

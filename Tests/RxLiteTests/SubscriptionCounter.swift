@testable import RxLiteTestSupport

/// Counts subscriptions and their ends, on any thread.
final class SubscriptionCounter: Sendable {
  private let log = Log()

  var begun: Int { log.lines.filter { $0 == "begin" }.count }
  var ended: Int { log.lines.filter { $0 == "end" }.count }

  func begin() { log.add("begin") }
  func end() { log.add("end") }
}

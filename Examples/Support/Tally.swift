package import Foundation
import Locking
package import NetworkCore

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Counts the requests that are sent, and those that go on with something; gives up those in which nothing moves.
package final class Tally: PluginType {
  private let counts = Lock((requests: 0, resumed: 0))
  private let timeout: TimeInterval
  package let field: String

  /// A request goes on with something if its `field` says from where, other than from 0.
  package init(timeout: TimeInterval, field: String) {
    self.timeout = timeout
    self.field = field
  }

  package var current: (requests: Int, resumed: Int) { counts.withLock { $0 } }

  package func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
    var request = request
    request.timeoutInterval = timeout
    return request
  }

  package func willSend(_ request: any RequestType, target: any TargetType) {
    let isResumed = request.request?.value(forHTTPHeaderField: field) ?? "0" != "0"
    counts.withLock { $0 = ($0.requests + 1, $0.resumed + (isResumed ? 1 : 0)) }
  }
}

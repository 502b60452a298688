package import ReactiveNetwork
import ReactiveNetworkLock

/// Counts the requests that are sent, and those that resume a transfer; gives up requests that make no
/// progress.
package final class RequestCounterPlugin: PluginType {
  private let counts = Lock((requests: 0, resumed: 0))
  private let timeout: TimeInterval
  package let field: String

  /// A request resumes a transfer if its header field `field` names an offset other than 0.
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

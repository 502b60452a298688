import ReactiveNetworkLock
import NetworkCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Lines in the order in which any threads added them.
final class Notes: Sendable {
  private let lines = Lock([String]())

  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Records the beginning and the end of each request.
struct LoggingPlugin: PluginType {
  let notes: Notes

  func willSend(_ request: any RequestType, target: any TargetType) {
    notes.add("willSend")
  }

  func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    switch result {
    case .success(let response): notes.add("didReceive \(response.statusCode)")
    case .failure(let error): notes.add("didReceive \(error.isCancelled ? "cancelled" : "\(error)")")
    }
  }
}

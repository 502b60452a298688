import NetworkCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Records the beginning and the end of each request.
struct LoggingPlugin: PluginType {
  let notes: Log

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

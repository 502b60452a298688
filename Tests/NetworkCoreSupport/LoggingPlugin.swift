import Foundation
import NetworkCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Logs each hook with the plugin's name, and marks the values that it can change.
struct LoggingPlugin: PluginType {
  let name: String
  let log: Log
  /// Runs in `willSend`.
  var onWillSend: @Sendable () -> Void = {}
  /// Runs in `prepare`.
  var onPrepare: @Sendable () -> Void = {}

  func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
    log("\(name) prepare")
    onPrepare()
    var request = request
    request.setValue((request.value(forHTTPHeaderField: "Seen") ?? "") + name, forHTTPHeaderField: "Seen")
    return request
  }

  func willSend(_ request: any RequestType, target: any TargetType) {
    log("\(name) willSend \(request.request?.value(forHTTPHeaderField: "Seen") ?? "")")
    onWillSend()
  }

  func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    log("\(name) didReceive \(result.summary)")
  }

  func process(
    _ result: Result<Response, NetworkError>, target: any TargetType
  ) -> Result<Response, NetworkError> {
    log("\(name) process \(result.summary)")
    return result.map { Response(statusCode: $0.statusCode + 1, data: $0.data) }
  }
}

extension Result where Success == Response, Failure == NetworkError {
  /// The status code, or a word for the error.
  var summary: String {
    switch self {
    case .success(let response): "\(response.statusCode)"
    case .failure(let error) where error.isCancelled: "cancelled"
    case .failure(.statusCode(let response)): "bad \(response.statusCode)"
    case .failure(.requestMapping): "requestMapping"
    case .failure(let error): "\(error.transferError.map { "\($0)" } ?? "\(error)")"
    }
  }
}

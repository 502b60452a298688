import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
import Moya

/// Allows a target to choose its cache policy.
protocol CachePolicyGettable {
  var cachePolicy: URLRequest.CachePolicy { get }
}

final class CachePolicyPlugin: PluginType {
  func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
    if let policy = (target as? CachePolicyGettable)?.cachePolicy {
      var mutableRequest = request
      mutableRequest.cachePolicy = policy
      return mutableRequest
    }
    return request
  }
}

struct RequestIDPlugin: PluginType {
  let makeID: () -> String

  func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
    var request = request
    request.addValue(makeID(), forHTTPHeaderField: "X-Request-ID")
    return request
  }

  func process(_ result: Result<Moya.Response, MoyaError>, target: TargetType) -> Result<
    Moya.Response, MoyaError
  > {
    switch result {
    case .success(let response) where response.statusCode == 204:
      return .success(
        Response(statusCode: 200, data: Data("{}".utf8), request: response.request, response: nil))
    case .success, .failure:
      return result
    }
  }
}

/// Records events for the tests.
final class SpyPlugin: PluginType {
  private let lock = NSLock()
  private(set) var events: [String] = []

  func willSend(_ request: RequestType, target: TargetType) {
    note("send \(request.request?.httpMethod ?? "-") \(request.request?.url?.absoluteString ?? "-")")
  }

  func didReceive(_ result: Result<Moya.Response, MoyaError>, target: TargetType) {
    switch result {
    case let .success(response): note("received \(response.statusCode)")
    case let .failure(error): note("failed \(error.response?.statusCode ?? -1)")
    }
  }

  private func note(_ event: String) {
    lock.lock()
    defer { lock.unlock() }
    events.append(event)
  }
}

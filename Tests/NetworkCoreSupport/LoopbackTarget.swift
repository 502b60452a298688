import Foundation
import LoopbackServer
import NetworkCore

/// A target on a test's server.
struct LoopbackTarget: TargetType {
  let baseURL: URL
  let path: String
  var method = HTTPMethod.get
  var task = HTTPTask.requestPlain
  var headers: [String: String]?
  var validationType = ValidationType.none
  var timeout: Duration?
  var acceptableContentTypes: [String]?

  init(_ baseURL: URL, _ path: String = "/") {
    self.baseURL = baseURL
    self.path = path
  }

  init(_ server: LoopbackServer, _ path: String = "/") {
    self.init(server.baseURL, path)
  }

  func with(_ change: (inout LoopbackTarget) -> Void) -> LoopbackTarget {
    var copy = self
    change(&copy)
    return copy
  }
}

extension NetworkProvider where Target == LoopbackTarget {
  /// Performs a request and returns its result.
  func result(_ target: LoopbackTarget) async -> Result<Response, NetworkError> {
    await withCheckedContinuation { done in
      request(target) { done.resume(returning: $0) }
    }
  }
}

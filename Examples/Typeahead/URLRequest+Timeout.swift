import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Returns the request with a limit on the time without a response.
  func timingOut(after seconds: TimeInterval) -> URLRequest {
    var request = self
    request.timeoutInterval = seconds
    return request
  }
}

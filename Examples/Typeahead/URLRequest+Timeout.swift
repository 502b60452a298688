import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// The request with a limit to how long it may go without an answer.
  func timingOut(after seconds: TimeInterval) -> URLRequest {
    var request = self
    request.timeoutInterval = seconds
    return request
  }
}

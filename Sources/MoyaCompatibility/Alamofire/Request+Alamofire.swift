#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension Request {
  /// The properties of a `URLSessionTask` that code written for Alamofire reads.
  public struct SentTask: Sendable {
    /// The request as it was sent.
    public let originalRequest: URLRequest?
    /// The head of the response; `nil` if there was none.
    public let response: URLResponse?
  }

  /// The sent request and its response, in the form of a `URLSessionTask`; `nil` before anything was sent.
  public var task: SentTask? { request.map { SentTask(originalRequest: $0, response: response) } }
}

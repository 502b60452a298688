public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A request whose last attempt has failed, as retriers see it.
public struct Request: RequestType {
  /// Identifies the request: equal for all its attempts, and to the `requestID` of `RequestAdapterState`.
  public let id: UUID
  /// The request as it was sent.
  public let request: URLRequest?
  /// The requested target.
  public let target: any TargetType
  /// The number of retries so far; 0 after the first attempt.
  public let retryCount: Int
  /// The number of the attempt among the attempts of all requests.
  let attempt: UInt64
  /// The seconds since the start of the first attempt.
  let elapsed: TimeInterval
  /// When the attempt failed, by the provider's scheduler.
  let failureTime: Date
  /// The type of the adapter or plugin that set `Authorization` last; `nil` if none did.
  let authorizer: String?
  /// The response; `nil` if there was none.
  public let receivedResponse: Response?
  let session: Session
  /// The token that cancels the request.
  let token: any Cancellable
  let attach: @Sendable (any Cancellable) -> Void

  /// The head of the response as Foundation's type; `nil` if there was none.
  public var response: HTTPURLResponse? {
    guard let receivedResponse else { return nil }
    // A stub may have only a status and a body.
    return receivedResponse.response
      ?? request?.url.flatMap {
        HTTPURLResponse(url: $0, statusCode: receivedResponse.statusCode, httpVersion: nil, headerFields: nil)
      }
  }

  /// Whether the request has been cancelled.
  public var isCancelled: Bool { token.isCancelled }

  /// Cancels the retrier's work if the request is cancelled before the retrier calls its completion.
  ///
  /// - Parameter work: the work. A later call replaces it.
  public func cancelWithRequest(_ work: any Cancellable) { attach(work) }

  /// Cancels the request, which completes with `NetworkError.cancelled` whatever the retrier decides.
  ///
  /// - Returns: the request.
  @discardableResult public func cancel() -> Self {
    token.cancel()
    return self
  }

  /// The header fields that are added if the request does not set them.
  public var sessionHeaders: [String: String] { session.defaultHeaders.dictionary }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, SecretHiding {
  package var text: RedactableDescription {
    RedactableDescription(
      "Request", ("id", .plain(id)), ("method", .text(request?.httpMethod ?? "")),
      ("url", .url(request?.url?.absoluteString ?? "")), ("retryCount", .plain(retryCount)),
      ("receivedResponse", .plain(receivedResponse as Any)))
  }
}

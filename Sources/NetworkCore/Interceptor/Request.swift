public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A request whose last attempt has failed, as retriers see it.
public struct Request: RequestType {
  /// What code written for Alamofire reads of a request's `URLSessionTask`.
  public struct SentTask: Sendable {
    /// The request as it was sent.
    public let originalRequest: URLRequest?
    /// The head of the answer, `nil` where there was none.
    public let response: URLResponse?
  }

  /// Tells requests apart: the same for all attempts of one, and what adapters see in `RequestAdapterState`.
  public let id: UUID
  /// The request as it was sent.
  public let request: URLRequest?
  /// What was asked for.
  public let target: any TargetType
  /// How many times it has been sent again so far; 0 after the first attempt.
  public let retryCount: Int
  /// The answer, `nil` where there was none.
  public let answer: Response?
  private let session: Session
  /// The request of the provider.
  private let token: any Cancellable
  /// The type of the adapter or plugin that set `Authorization` last; `nil` if none did.
  let authorizer: String?
  /// The number that the attempt has among those of all requests.
  let attempt: UInt64

  /// The head of the answer in Foundation's form, `nil` where there was none.
  public var response: HTTPURLResponse? {
    guard let answer else { return nil }
    // A sample may have a status and a body alone.
    return answer.response
      ?? request?.url.flatMap {
        HTTPURLResponse(url: $0, statusCode: answer.statusCode, httpVersion: nil, headerFields: nil)
      }
  }

  /// What was sent and answered, in the shape of a task of `URLSession`; `nil` before anything was sent.
  public var task: SentTask? { request.map { SentTask(originalRequest: $0, response: response) } }

  /// Whether the request has been cancelled.
  public var isCancelled: Bool { token.isCancelled }

  /// Cancels the request, which completes with `NetworkError.cancelled` whatever the retrier decides.
  ///
  /// - Returns: the request.
  @discardableResult public func cancel() -> Self {
    token.cancel()
    return self
  }

  /// The header fields that are added where the request does not set them.
  public var sessionHeaders: [String: String] { session.defaultHeaders.dictionary }

  init(
    id: UUID, request: URLRequest?, target: any TargetType, retryCount: Int, attempt: UInt64,
    authorizer: String? = nil, answer: Response?, session: Session, token: any Cancellable
  ) {
    self.id = id
    self.request = request
    self.target = target
    self.retryCount = retryCount
    self.answer = answer
    self.session = session
    self.token = token
    self.attempt = attempt
    self.authorizer = authorizer
  }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, SecretHiding {
  package var text: SafeText {
    SafeText(
      "Request", ("id", .plain(id)), ("method", .text(request?.httpMethod ?? "")),
      ("url", .url(request?.url?.absoluteString ?? "")), ("retryCount", .plain(retryCount)),
      ("answer", .plain(answer as Any)))
  }
}

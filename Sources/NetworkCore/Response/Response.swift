public import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The response to a request.
///
/// A 404 is a normal response unless the target's `validationType` or a filter says otherwise.
public final class Response: Sendable {
  /// The head as it was received, and the values that were derived from it.
  private struct Head {
    var received: ResponseHead?
    var headers: HTTPHeaders?
    var response: HTTPURLResponse?
  }

  /// The status code (RFC 9110, section 15).
  public let statusCode: Int
  /// The body; empty if it went to a file or was streamed.
  public let data: Data
  /// The file that the body was downloaded to; `nil` for other requests.
  public let fileURL: URL?
  /// The request as it was first sent; `nil` if there was none.
  ///
  /// After a redirect, its URL differs from `url`.
  public let request: URLRequest?
  /// The metrics of the transfer; `nil` for a stub, or if the transport does not report them.
  public let metrics: TransferMetrics?
  /// What the server does after this response to the handshake of a stubbed WebSocket.
  let script: WebSocketScript?
  /// The key path at which a mapping has found nothing, in the response of its error.
  let missingKeyPath: String?
  private let head: Lock<Head>
  /// The size of the body in bytes, in memory or in a file.
  let bodyCount: Int64

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - statusCode: the status code.
  ///   - data: the body.
  ///   - request: the request of the response.
  ///   - response: the head as a Foundation object.
  public init(statusCode: Int, data: Data, request: URLRequest? = nil, response: HTTPURLResponse? = nil) {
    self.statusCode = statusCode
    self.data = data
    self.request = request
    self.metrics = nil
    self.head = Lock(Head(response: response))
    self.script = nil
    self.missingKeyPath = nil
    self.fileURL = nil
    self.bodyCount = Int64(data.count)
  }

  init(
    head: ResponseHead, data: Data, request: URLRequest?, metrics: TransferMetrics?,
    script: WebSocketScript? = nil
  ) {
    self.statusCode = head.statusCode
    self.data = data
    self.request = request
    self.metrics = metrics
    self.head = Lock(Head(received: head))
    self.script = script
    self.missingKeyPath = nil
    self.fileURL = nil
    self.bodyCount = Int64(data.count)
  }

  /// Creates a copy of a response with another body, or for the error of a mapping.
  init(
    copying other: Response, data: Data, metrics: TransferMetrics?, fileURL: URL? = nil, fileSize: Int64 = 0,
    missingKeyPath: String? = nil
  ) {
    self.statusCode = other.statusCode
    self.data = data
    self.request = other.request
    self.metrics = metrics
    self.head = Lock(other.head.withLock { $0 })
    self.script = nil
    self.missingKeyPath = missingKeyPath
    self.fileURL = fileURL
    self.bodyCount = fileURL == nil ? Int64(data.count) : fileSize
  }

  /// The head as a Foundation object; `nil` if the response was created without one.
  ///
  /// The first access creates the object, which costs some microseconds; `statusCode` and `headers` cost
  /// less.
  public var response: HTTPURLResponse? {
    head.withLock { head in
      if head.response == nil { head.response = head.received?.httpURLResponse }
      return head.response
    }
  }

  /// The URL of the response: the last URL after redirects, otherwise the URL of the request.
  ///
  /// Relative references in the response are resolved against it. A response without a head, such as a stub
  /// with only a status code and a body, has the URL of the request, or `nil` if there is no request. A
  /// response from a cache or a recording has the URL from which it originally came.
  public var url: URL? {
    let (received, given) = head.withLock { ($0.received?.url, $0.received == nil ? $0.response?.url : nil) }
    return received.flatMap { URL(string: $0) } ?? given ?? request?.url
  }

  /// Whether the request may be sent again after a refusal.
  ///
  /// `false` if a redirect has replaced the method of a request that is not idempotent: its server has acted on it,
  /// and only the target of the redirect refused. If the transport does not say which method the target received,
  /// `false` after any redirect.
  package var mayRepeatRequest: Bool {
    guard let request, let url = request.url else { return true }
    let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
    guard !method.isIdempotent, let received = head.withLock({ $0.received }) else { return true }
    return received.method.map { $0 == method } ?? (received.url == url.absoluteString)
  }

  /// The header fields.
  public var headers: HTTPHeaders {
    head.withLock { head in
      let headers = head.headers ?? head.received?.headers ?? head.response?.headers ?? [:]
      head.headers = headers
      return headers
    }
  }
}

extension Response: Equatable {
  /// Whether status code, body and head are equal; ignores the requests.
  public static func == (left: Response, right: Response) -> Bool {
    left.statusCode == right.statusCode && left.data == right.data && left.response == right.response
  }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status code and the length of the body.
  public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// The status code and the length of the body; not the request, which may contain secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["statusCode": statusCode, "dataLength": data.count])
  }
}

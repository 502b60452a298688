public import Foundation
import Locking

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The answer to a request.
///
/// A 404 is an answer like any other unless the target's `validationType` or a filter says otherwise.
public final class Response: Sendable {
  /// The head as it was given, and what has been made of it since.
  private struct Head {
    var received: ResponseHead?
    var headers: HTTPHeaders?
    var response: HTTPURLResponse?
  }

  /// The status code (RFC 9110, section 15).
  public let statusCode: Int
  /// The body; empty where it went to a file or was streamed.
  public let data: Data
  /// The file that the body was downloaded to; `nil` for other requests.
  public let fileURL: URL?
  /// The request as it was sent first, `nil` if there was none; after a redirect, `url` is another one.
  public let request: URLRequest?
  /// What the transfer took; `nil` where the transport does not tell, and for a stub.
  public let metrics: TransferMetrics?
  private let head: Lock<Head>
  /// The bytes of the body, wherever it is.
  let bodyCount: Int64

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - statusCode: the status code.
  ///   - data: the body.
  ///   - request: the request that was answered.
  ///   - response: the head in Foundation's form.
  public init(statusCode: Int, data: Data, request: URLRequest? = nil, response: HTTPURLResponse? = nil) {
    self.statusCode = statusCode
    self.data = data
    self.request = request
    self.metrics = nil
    self.head = Lock(Head(response: response))
    self.fileURL = nil
    self.bodyCount = Int64(data.count)
  }

  init(head: ResponseHead, data: Data, request: URLRequest?, metrics: TransferMetrics?) {
    self.statusCode = head.statusCode
    self.data = data
    self.request = request
    self.metrics = metrics
    self.head = Lock(Head(received: head))
    self.fileURL = nil
    self.bodyCount = Int64(data.count)
  }

  /// A copy of an answer with another body.
  init(
    copying other: Response, data: Data, metrics: TransferMetrics?, fileURL: URL? = nil, fileSize: Int64 = 0
  ) {
    self.statusCode = other.statusCode
    self.data = data
    self.request = other.request
    self.metrics = metrics
    self.head = Lock(other.head.withLock { $0 })
    self.fileURL = fileURL
    self.bodyCount = fileURL == nil ? Int64(data.count) : fileSize
  }

  /// The head in Foundation's form, `nil` where the answer was made without one.
  ///
  /// It is made when first asked for, which costs some microseconds; `statusCode` and `headers` cost less.
  public var response: HTTPURLResponse? {
    head.withLock { head in
      if head.response == nil { head.response = head.received?.httpURLResponse }
      return head.response
    }
  }

  /// The URL that answered: after redirects the last one, otherwise that of the request.
  ///
  /// It is the URL that relative references in the answer are resolved against. A stub and an answer that was made without a head
  /// have the URL of the request; `nil` if there was none. An answer out of a cache or a recording has the URL that it came from.
  public var url: URL? {
    let (received, given) = head.withLock { ($0.received?.url, $0.received == nil ? $0.response?.url : nil) }
    return received.flatMap { URL(string: $0) } ?? given ?? request?.url
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
  /// Whether status code, body and head are equal; the requests are not compared.
  public static func == (left: Response, right: Response) -> Bool {
    left.statusCode == right.statusCode && left.data == right.data && left.response == right.response
  }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status code and the length of the body.
  public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// The status code and the length of the body; not the request, which may hold secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["statusCode": statusCode, "dataLength": data.count])
  }
}

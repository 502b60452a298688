internal import Foundation
internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Carries requests with Foundation's `URLSession`: the default transport outside Linux, and on Linux if
/// libcurl cannot be loaded.
///
/// It keeps the contract of ``Transport``, with these differences, which come from `URLSession`:
///
/// - Redirects follow the rules of ``CurlTransport``.
/// - `idleTimeout` is rounded up to whole seconds, and is at most 2,000,000 s.
/// - Fields of one name are joined, and their order and the spelling of their names are Foundation's.
/// - `URLSession` adds its own fields, such as `User-Agent` and `Accept-Language`, with values other than
///   those of ``CurlTransport``.
/// - Errors are only as specific as `URLError`.
/// - A `GET` with a body is refused, and so is a credential other than Basic and Bearer.
/// - A transfer cannot be paused: on Linux, a task that is suspended and resumed loses bytes. If the handler is
///   64 MiB behind the server, the transfer ends with an error.
/// - A file or a stream is sent in chunks, whatever its length.
/// - On Linux, cancels and the requests of other sessions wait while a body arrives faster than it is read.
/// - On Linux, `.sent` is not reported, and a large body is held in memory twice. A redirect that is not followed
///   arrives without its body. A `DELETE` or `OPTIONS` without a body sends `Content-Length: 0`.
///   An informational response is reported as a separate head. A response with trailers stops the process,
///   and so does a head that is truncated or announces 2^63-1 bytes. An IPv6 address is not accepted as a
///   host. Conflicting lengths are not detected, and unsolicited bytes on a reused connection are read as the
///   next response.
///
/// When the transport is released, its remaining transfers end with `.finished(.cancelled)`.
public final class URLSessionTransport: Transport {
  /// The default transport if `CurlTransport` is not available.
  public static let shared = URLSessionTransport()

  /// The maximum number of bytes of a body that wait for the handler.
  static let pendingBodyLimit = 64 << 20

  private let tasks = URLSessionTasks()

  /// Creates a transport with its own session, which stores no cookies, credentials or responses.
  public init() {}

  deinit {
    tasks.invalidate()
  }

  /// Starts a transfer and returns at once; see ``Transport``.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    RedirectFollowingTransfer.start(
      request, over: tasks, isWithinTransport: true, .follow, handler: handler)
  }

  /// Returns `[]`: neither cookies nor credentials are kept.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials { [] }
}

extension URLRequest {
  /// Creates a request with its body, unless the body is a file or a stream.
  init(_ request: TransportRequest) throws(TransferError) {
    guard let url = URL(string: request.url) else { throw .unsupportedURL(request.url) }
    self.init(url: url)
    httpMethod = request.method.rawValue
    // Joined, because a list of received fields may contain a name several times.
    for (name, value) in request.headers.dictionary { setValue(value, forHTTPHeaderField: name) }
    // Not as a list (RFC 9113, section 8.2.3).
    let cookies = request.headers.filter { $0.isNamed("cookie") }.map(\.value)
    if !cookies.isEmpty { setValue(cookies.joined(separator: "; "), forHTTPHeaderField: "Cookie") }
    // Lengths that differ are refused before.
    if let length = request.headers.first(where: { $0.isNamed("content-length") }) {
      setValue(length.value, forHTTPHeaderField: length.name)
    }
    if let credential = request.credential, request.headers["Authorization"] == nil {
      setValue(try credential.authorization(), forHTTPHeaderField: "Authorization")
    }
    if case .data(let data) = request.content { httpBody = data }
    httpShouldHandleCookies = false
    // On Linux, Foundation stops the process if the milliseconds exceed the integer range.
    if request.idleTimeout > .zero {
      timeoutInterval = min(request.idleTimeout.inSeconds.rounded(.up), 2_000_000)
    }
  }
}

extension TransportRequest.Credential {
  /// The field value that is sent with the first request.
  fileprivate func authorization() throws(TransferError) -> String {
    switch self {
    case .basic(let user, let password):
      return HTTPHeader.authorization(username: user, password: password).value
    case .bearer(let token):
      guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw .invalidField(name: "Authorization", value: token)
      }
      return HTTPHeader.authorization(bearerToken: token).value
    case .digest, .negotiate:
      throw .other(
        code: 0, reason: "URLSessionTransport supports only Basic and Bearer; CurlTransport supports more")
    }
  }
}

public import Foundation
internal import ReactiveNetworkLock

/// Serves requests from a cache if HTTP allows it (RFC 9111), and sends the others through another transport.
///
/// ```swift
/// let cache = try HTTPCache(directory: folder)
/// let provider = NetworkProvider<GitHub>(transport: CachingTransport(try CurlTransport(), cache: cache))
/// ```
///
/// It is a private cache, for one user: it ignores `s-maxage` and `private`. It returns a fresh response
/// without contacting the server, and adds an `Age` field. It revalidates a stale response with
/// `If-None-Match` and `If-Modified-Since`; the caller never sees the 304. If the server fails, the caller
/// gets a stale response as far as `stale-if-error` allows. A successful request whose method is not safe
/// removes the stored responses to its URL.
///
/// Some requests bypass the cache: those with a body, a `Range` or conditions of their own, and every `HEAD`
/// for which nothing fresh is stored. Responses that come after a redirect, and bodies of
/// more than a tenth of the cache, are not stored either; they pass through without being kept in memory. A
/// request can change these rules with its `cachePolicy`.
///
/// Several transports, for several users, may have the same cache. None gets a response that is meant for the
/// user of another:
///
/// - A request to which the other transport adds a credential bypasses the cache
///   (``Transport/addedCredentials(to:)``).
/// - If the other transport keeps cookies, responses that depend on them (`Vary`) are not stored.
/// - If a layer below changes a header field, the URL or the credential of the request, the response is not
///   stored. A field that all requests of a layer have belongs in its `defaultHeaders`, which the cache adds
///   by itself.
/// - If the other transport does not state what it adds, or does not call
///   ``TransportRequest/validated(allowsUnixSockets:)``, responses are stored in memory for this
///   `CachingTransport` alone. Create another one when the user changes.
public final class CachingTransport: TransportLayer {
  private static let count = Lock(0)

  /// The transport that carries the requests that the cache cannot serve.
  public let wrapped: any Transport
  /// The number of the transport in this process, as text.
  let name = String(
    count.withLock { count in
      count += 1
      return count
    })
  let cache: HTTPCache
  let clock: @Sendable () -> Date

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - transport: carries the requests that the cache cannot serve.
  ///   - cache: stores the responses.
  ///   - clock: returns the current time; only tests pass another clock than the system's.
  public init(
    _ transport: any Transport, cache: HTTPCache, clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    wrapped = transport
    self.cache = cache
    self.clock = clock
  }

  /// Starts a transfer and returns at once; see ``Transport``.
  ///
  /// Events of stored responses are reported on the cache's own threads. So is the end of a response that has
  /// been written to a file; it waits for the file for at most a second. All other events are reported on the
  /// other transport's thread. A slow handler delays no other request, unless 256 such handlers of responses
  /// from the cache run at once.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = CachingTransfer(request, handler, owner: self)
    transfer.begin(self)
    return transfer
  }
}

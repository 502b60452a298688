public import Foundation
internal import Synchronization

/// Serves requests from a cache if HTTP allows it (RFC 9111), and sends the others through another transport.
///
/// ```swift
/// let cache = try HTTPCache(directory: folder)
/// let provider = NetworkProvider<GitHub>(transport: CachingTransport(try CurlTransport(), cache: cache))
/// ```
///
/// It is a private cache, for one user: it ignores `s-maxage`, and stores `private` responses. It returns a
/// fresh response without contacting the server, and adds an `Age` field. It revalidates a stale response
/// with `If-None-Match` and `If-Modified-Since`; the caller never sees the 304. If the server fails, the
/// caller gets a stale response as far as `stale-if-error` allows. As far as `stale-while-revalidate` allows,
/// it gets the stale response at once, and a request of the cache's own revalidates it for later. A successful
/// request whose method is not safe removes the stored responses to its URL.
///
/// A caller's own `If-None-Match` and `If-Modified-Since` are evaluated with a fresh response: the caller gets
/// it, or a 304. A `HEAD` is answered from a fresh response to `GET`; the server's response to it updates the
/// stored one, or removes it if it describes another. A `Range` of bytes is served from a fresh response in memory. Some
/// requests bypass the cache: those with a body, a `Range` that no fresh response can serve, other conditions, or
/// conditions for which nothing fresh is stored; and those whose `Accept` is `text/event-stream`, without another
/// type, such as the requests of `rx.events`. Responses that come
/// after a redirect, and bodies of more than a tenth of the cache, are not stored either; they pass through
/// without being kept in memory. A request can change these rules with its `cachePolicy`.
///
/// Several transports, for several users, may have the same cache. None gets a response that is meant for the
/// user of another, because what the other transport states (``Transport/addedCredentials(to:)``) decides
/// which responses are stored and used:
///
/// - A request to which it may add a credential bypasses the cache.
/// - So does every request if it states nothing, which is the default for transports and layers of your own.
/// - If it keeps cookies, which the cache does not see, responses that are `private` or depend on cookies
///   (`Vary`) are neither stored nor used. Any other response is for all users, by the server's word.
///
/// A response is used only for requests with the same `Authorization`, `Cookie` and `Host`. A stored redirect is used
/// only once the other transport has delivered a redirect: one that follows them would have gone on to the target.
///
/// A field that a layer adds to its requests belongs in the layer's `defaultHeaders`, which the cache adds by
/// itself before it looks for a response.
public final class CachingTransport: TransportLayer {
  /// The transport that carries the requests that the cache cannot serve.
  public let wrapped: any Transport
  let cache: HTTPCache
  let clock: @Sendable () -> Date
  /// Whether the other transport has delivered a redirect.
  ///
  /// Until it does, it may be one that follows redirects, so that its callers expect none; another transport may have
  /// stored some.
  let deliversRedirects = Atomic(false)

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

  /// Returns what the other transport adds to a request.
  ///
  /// - Parameter request: the request.
  /// - Returns: the cookies and credentials.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }

  /// Starts a transfer and returns at once; see ``Transport``.
  ///
  /// Events of stored responses are reported on the cache's own threads, a body that a pause has held back on another
  /// background thread, and all other events on the other transport's thread. A handler that blocks delays no other
  /// request, unless 256 such handlers of responses from the cache run at once. A handler that computes delays other
  /// handlers of such responses by up to two seconds.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = CachingTransfer(request, handler, owner: self)
    transfer.begin(self)
    return transfer
  }
}

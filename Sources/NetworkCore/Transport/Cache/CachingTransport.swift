public import Foundation

/// Answers requests from a cache where HTTP allows it (RFC 9111), and sends the others through another transport.
///
/// ```swift
/// let cache = try HTTPCache(directory: folder)
/// let provider = NetworkProvider<GitHub>(transport: CachingTransport(try CurlTransport(), cache: cache))
/// ```
///
/// It is a cache of one user: `s-maxage` and `private` do not matter to it. What is fresh is given without asking the
/// server, with an `Age` field; what is stale is asked for with `If-None-Match` and `If-Modified-Since`, and a 304 never
/// shows. Where the server fails, a stale answer is given as far as `stale-if-error` allows. A request of a method that is
/// not safe, if it succeeds, has the answers to its URL forgotten.
///
/// Requests with a body, a `Range` or conditions of their own are sent as they are, and so is every `HEAD` for which nothing
/// fresh is stored. So are those that the other transport adds a credential of its configuration to: what comes is for whoever that
/// is. Where it keeps cookies, answers that depend on them (`Vary`) are not stored. Answers that come after a redirect, and bodies
/// of more than a tenth of the cache, are not stored; they pass through without being kept in memory. A request chooses by its
/// `cachePolicy`.
public final class CachingTransport: Transport {
  let transport: any Transport
  let cache: HTTPCache
  let clock: @Sendable () -> Date

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - transport: what carries the requests that are sent.
  ///   - cache: where answers are kept.
  ///   - clock: what time it is; another than the system's is for tests.
  public init(
    _ transport: any Transport, cache: HTTPCache, clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.transport = transport
    self.cache = cache
    self.clock = clock
  }

  /// The other transport's fields.
  public var defaultHeaders: HTTPHeaders { transport.defaultHeaders }

  /// Starts a transfer and returns at once; see ``Transport``.
  ///
  /// Events of stored answers come on threads of the cache's own, and so does the end of an answer that has been written to a
  /// file, for which it waits a second at most; all others come on the other transport's thread. A handler that takes long holds up no
  /// other request, unless 256 such handlers of answers from the cache run at once.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = CachingTransfer(request, handler, owner: self)
    transfer.begin(self)
    return transfer
  }
}

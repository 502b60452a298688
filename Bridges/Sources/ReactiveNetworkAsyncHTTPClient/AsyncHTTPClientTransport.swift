public import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTPCompression
public import NetworkCore

/// Carries requests with AsyncHTTPClient, on the event loops of SwiftNIO.
///
/// ```swift
/// let provider = NetworkProvider<API>(transport: AsyncHTTPClientTransport())
/// ```
///
/// It keeps the contract of `Transport`, and uses no other API than the public one. Redirects follow the rules
/// of `CurlTransport`. Neither metrics nor gauges are reported, and only Basic and Bearer credentials are
/// supported. The handler of a transfer runs on a separate queue: while it blocks, no other transfer waits.
///
/// When the transport is released, its remaining transfers end with `.finished(.cancelled)`.
public final class AsyncHTTPClientTransport: Transport {
  private static let standardConnectTimeout = TimeAmount.seconds(10)

  private let client: HTTPClient
  private let transport: any Transport

  /// Creates a transport with its own client.
  ///
  /// - Parameter configuration: the client's configuration, such as its TLS settings and its proxy. The
  ///   transport itself follows redirects, decodes bodies and measures idle time, and does not repeat a failed
  ///   connection.
  public init(configuration: HTTPClient.Configuration = .init()) {
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .enabled(limit: .none)
    configuration.connectionPool.retryConnectionEstablishment = false
    let connectTimeout = configuration.timeout.connect ?? Self.standardConnectTimeout
    configuration.timeout.connect = connectTimeout
    client = HTTPClient(configuration: configuration)
    transport = AsyncHTTPClientHops(client: client, connectTimeout: .nanoseconds(connectTimeout.nanoseconds))
      .followRedirects()
  }

  deinit {
    // Keeps the client alive until it is shut down, which ends its transfers.
    client.shutdown { _ in }
  }

  /// Starts a transfer and returns at once; see `Transport`.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    transport.start(request, handler: handler)
  }

  /// The content codings that the client decodes.
  public var defaultHeaders: HTTPHeaders { ["Accept-Encoding": "deflate, gzip"] }

  /// `true`: a paused transfer makes the server wait.
  public var pausesTransfers: Bool { true }

  /// Returns `[]`: neither cookies nor credentials are kept.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials { [] }
}

/// Carries requests, and reports redirects as responses.
private struct AsyncHTTPClientHops: Transport {
  let client: HTTPClient
  let connectTimeout: Duration
  let pausesTransfers = true

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = AsyncHTTPClientTransfer(connectTimeout: connectTimeout, handler: handler)
    transfer.start(request, over: client)
    return transfer
  }
}

extension Transport {
  /// Returns a transport that sends each request through a layer with the policy of the request's origin.
  ///
  /// ```swift
  /// let breakers = PerOrigin { CircuitBreaker() }
  /// let limits = PerOrigin { ConcurrencyLimit(8) }
  /// let transport = try CurlTransport()
  ///   .perOrigin(limits) { $0.limitConcurrency($1, longestWait: .seconds(2)) }
  ///   .perOrigin(breakers) { $0.circuitBreaker($1) }
  /// ```
  ///
  /// The origin is that of the URL with which the request reaches this transport. Redirects that this transport
  /// follows do not change it.
  ///
  /// - Parameters:
  ///   - policies: the policies, which other transports and pipelines may share.
  ///   - layer: returns a layer around this transport. It is called when a request starts and when its
  ///     `addedCredentials(to:)` are asked for, on the calling thread, so it must be fast. A layer lives until its
  ///     transfer ends, and may keep what belongs to that transfer; it must keep any other state in the policy. Of the
  ///     layer, only `start` and `addedCredentials(to:)` are used; `defaultHeaders`, `gauges` and the other
  ///     capabilities are those of this transport.
  /// - Returns: the transport, which reports events as the layer does.
  public func perOrigin<Policy>(
    _ policies: PerOrigin<Policy>,
    _ layer: @escaping @Sendable (_ transport: any Transport, _ policy: Policy) -> any Transport
  ) -> any Transport {
    PerOriginTransport(wrapped: self) { layer(self, policies[$0]) }
  }
}

private struct PerOriginTransport: TransportLayer {
  let wrapped: any Transport
  /// Returns the transport for a URL.
  let transport: @Sendable (_ url: String) -> any Transport

  func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    transport(request.url).addedCredentials(to: request)
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let layer = transport(request.url)
    // Nothing else holds the layer, and the transfers of a `CachingTransport`, for example, need it.
    return layer.start(request) { event in withExtendedLifetime(layer) { handler(event) } }
  }
}

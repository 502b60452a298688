extension Transport {
  /// Returns a transport that starts at most a given number of requests in any span of time.
  ///
  /// ```swift
  /// let limits = PerOrigin { RateLimit(100, per: .seconds(60)) }
  /// let transport = try CurlTransport().perOrigin(limits) { $0.limitRate($1, longestWait: .seconds(5)) }
  /// ```
  ///
  /// A request that is cancelled while it waits leaves the queue. A request that is refused, or has waited too
  /// long, is not sent, and ends with `TransferError.queueFull` or `.waitedTooLong`. Time-outs of the request do
  /// not run while it waits.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other transports and pipelines may share.
  ///   - longestWait: the longest wait, 30 s by default; `nil` for no limit.
  /// - Returns: the transport. A request that has to wait starts on the limit's scheduler. Refusals are
  ///   reported there too, all other events on the threads of this transport.
  public func limitRate(
    _ limit: RateLimit, longestWait: Duration? = ConcurrencyLimit.defaultLongestWait
  ) -> any Transport {
    RateLimitedTransport(wrapped: self, limit: limit, longestWait: longestWait)
  }
}

private struct RateLimitedTransport: TransportLayer {
  let wrapped: any Transport
  let limit: RateLimit
  let longestWait: Duration?

  func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = DeferredTransfer(limit.scheduler, pausing: request.hedgeDelay, handler)
    let turn = limit.acquire(longestWait: longestWait) { result in
      switch result {
      case .success:
        transfer.begin { sequence in sequence.start(request, over: wrapped) { sequence.pass($0) } }
      case .failure(let error): transfer.refuse(error)
      }
    }
    transfer.store(turn)
    return transfer
  }
}

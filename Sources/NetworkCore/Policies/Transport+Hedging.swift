extension Transport {
  /// Returns a transport that sends a second copy of a request whose response is late.
  ///
  /// ```swift
  /// let hedge = HedgePolicy(
  ///   after: .percentile(95, initially: .milliseconds(200)), budget: RetryBudget(ratio: 0.1))
  /// let provider = NetworkProvider<GitHub>(transport: try CurlTransport().hedged(hedge))
  /// ```
  ///
  /// The copy whose response head arrives first wins, and the other copy is cancelled. An error, or a status
  /// of `RetryPolicy.defaultRetryableHTTPStatusCodes`, wins only if the other copy is not running, or is a
  /// second copy that waits for a place in a limit. There is no second copy if the method is not among the policy's
  /// `hedgeableHTTPMethods`, if the budget is empty, if the request body can be read only once, if the request
  /// reports the progress of its body, or if it opens a WebSocket.
  ///
  /// Plugins and interceptors see one request. Put limits inside `hedged`, so that each copy takes a place and
  /// the delay does not run while the first copy waits for one, and `circuitBreaker` outside.
  ///
  /// - Parameter policy: the policy, which other transports may share.
  /// - Returns: the transport. It reports events on the threads of this transport.
  public func hedged(_ policy: HedgePolicy) -> any Transport {
    HedgingTransport(wrapped: self, policy: policy)
  }
}

private struct HedgingTransport: TransportLayer {
  let wrapped: any Transport
  let policy: HedgePolicy

  func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    guard mayHedge(request) else { return wrapped.start(request, handler: handler) }
    policy.budget.deposit()
    let transfer = HedgedTransfer(request, over: wrapped, policy, handler)
    transfer.begin()
    return transfer
  }

  private func mayHedge(_ request: TransportRequest) -> Bool {
    // Two copies of a request to switch protocols would divide the bytes of its body between them.
    guard policy.hedgeableHTTPMethods.contains(request.method), !request.reportsProgress,
      !request.upgradesConnection
    else { return false }
    guard case .stream(let stream) = request.body else { return true }
    return stream.isRepeatable
  }
}

extension Transport {
  /// Returns a transport that follows the redirects of this one, which reports them as responses.
  ///
  /// A transport of your own need not follow redirects itself: `MyTransport().followRedirects()` keeps the contract of
  /// ``Transport``.
  ///
  /// It discards the bodies of redirects that are followed, of up to 1 MiB each; a longer one ends the transfer with
  /// `TransferError.badServerResponse`. With a policy that calls a closure, what the transport adds to a request is
  /// unknown (``addedCredentials(to:)``).
  ///
  /// - Parameter policy: decides about redirects.
  /// - Returns: the transport. Its events arrive on the threads of this transport or on a background thread. A transfer
  ///   keeps this transport until its end.
  public func followRedirects(_ policy: RedirectPolicy = .follow) -> any Transport {
    RedirectFollowingTransport(wrapped: self, policy: policy)
  }
}

private struct RedirectFollowingTransport: TransportLayer {
  let wrapped: any Transport
  let policy: RedirectPolicy

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    RedirectFollowingTransfer.start(
      request, over: wrapped, isWithinTransport: false, policy, handler: handler)
  }

  func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    policy.decision == nil ? wrapped.addedCredentials(to: request) : .unknown
  }
}

func defaultTransport() -> any Transport { NoTransport() }

private struct NoTransport: Transport {
  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    handler(.finished(.other(code: -1, reason: "no transport")))
    return Ended()
  }

  private struct Ended: Cancellable {
    let isCancelled = false
    func cancel() {}
  }
}

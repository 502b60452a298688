import Dispatch

/// Ends every request with the reason why no usable transport could be created.
package struct UnusableTransport: Transport {
  private struct Ended: Cancellable {
    var isCancelled: Bool { false }
    func cancel() {}
  }

  let reason: String

  package init(reason: String) {
    self.reason = reason
  }

  package func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let error = TransferError.other(code: 0, reason: "The session cannot be used: \(reason)")
    DispatchQueue.global().async { handler(.finished(error)) }
    return Ended()
  }
}

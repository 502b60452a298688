extension Error {
  /// The error itself or the cause of a `NetworkError`, if it is that of a transfer.
  var ofTransfer: TransferError? { self as? TransferError ?? (self as? NetworkError)?.transferError }

  /// Whether a circuit breaker or a limit has refused the request, so that nothing was sent.
  package var isRefusal: Bool { ofTransfer?.isRefusal == true }

  /// Whether the request or the task was cancelled.
  package var isCancellation: Bool { self is CancellationError || ofTransfer == .cancelled }
}

extension Error {
  /// The error itself or the cause of a `NetworkError`, if it is that of a transfer.
  var ofTransfer: TransferError? { self as? TransferError ?? (self as? NetworkError)?.transferError }

  /// Whether a circuit breaker or a limit has refused the request, so that nothing was sent.
  package var isRefusal: Bool { ofTransfer?.isRefusal == true }

  /// Whether the client itself has refused the request, so that nothing is known about the server.
  var couldNotBeSent: Bool {
    switch ofTransfer {
    case .unsupportedURL, .invalidField, .cannotReadFile, .notRecorded, .conversationNotRecorded, .notStored:
      true
    default: isRefusal
    }
  }

  /// Whether the request or the task was cancelled.
  package var isCancellation: Bool { self is CancellationError || ofTransfer == .cancelled }
}

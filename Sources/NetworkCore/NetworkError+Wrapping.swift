extension NetworkError {
  /// Wraps an error, unless it is a `NetworkError` already.
  init(wrapping error: any Error) {
    self =
      error as? NetworkError ?? .underlying(error is CancellationError ? TransferError.cancelled : error, nil)
  }
}

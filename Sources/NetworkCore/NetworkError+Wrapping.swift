extension NetworkError {
  /// Wraps an error, unless it is a `NetworkError` already.
  package init(wrapping error: any Error) {
    self =
      error as? NetworkError ?? .underlying(error is CancellationError ? TransferError.cancelled : error, nil)
  }
}

extension NetworkError {
  /// Any error as a network error: itself where it is one.
  init(wrapping error: any Error) {
    self =
      error as? NetworkError ?? .underlying(error is CancellationError ? TransferError.cancelled : error, nil)
  }
}

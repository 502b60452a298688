import NetworkCore

extension (any Error)? {
  /// The refusal by a breaker or a limit, in the one form that users catch.
  var refusal: TransferError? {
    guard let error = (self as? NetworkError)?.transferError, error.isRefusal else { return nil }
    return error
  }
}

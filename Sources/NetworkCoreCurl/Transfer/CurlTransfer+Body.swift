internal import Foundation

// Opening the request's body.
extension CurlTransfer {
  /// The threads on which to open the body; `nil` if it is open, or opening it does not block.
  var bodyPreparation: BlockingWorkPool? { body == nil ? request.bodyPreparation : nil }

  /// Opens the body, unless an earlier attempt has.
  func openBody(of request: TransportRequest) throws(TransferError) {
    if body == nil { body = try RequestBodyReader(request, onBytesAvailable: self.resumeLater) }
  }

  /// Opens the body on another thread, which then posts `.opened` to the loop.
  func openBody(on pool: BlockingWorkPool) {
    let number = pool.enqueue { [self, request] in
      let result = Result { () throws(TransferError) in
        var reader = try RequestBodyReader(request, onBytesAvailable: self.resumeLater)
        try reader.checkEmptiness()
        return reader
      }
      loop.post(.opened(self, OpenedBody(result: result)))
    }
    opening = (pool, number)
  }

  /// Cancels the pending work, because the body has been opened or is no longer needed.
  func cancelOpening() {
    if let (pool, number) = opening.take() { pool.remove(number) }
  }

  /// Makes the loop resume the transfer; may be called on any thread.
  private var resumeLater: @Sendable () -> Void {
    { [weak self] in self?.postResume() }
  }
}

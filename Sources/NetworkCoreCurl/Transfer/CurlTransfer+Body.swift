internal import Foundation

// Opening the request's body.
extension CurlTransfer {
  /// Whether the body is a file that has not been opened yet, or a form with such files.
  var isFileClosed: Bool {
    guard body == nil else { return false }
    return switch request.content {
    case .none, .data: false
    case .file: true
    case .stream(let stream): stream.needsPreparation
    }
  }

  /// Opens the body, unless it is still open from before a redirect.
  func openBody(of request: TransportRequest) throws(TransferError) {
    if body == nil { body = try RequestBodyReader(request, onBytesAvailable: self.resumeLater) }
  }

  /// Opens the files to send on another thread, which then posts `.opened` to the loop.
  func openFile() {
    openingWorkNumber = BlockingWorkPool.files.enqueue { [self, request] in
      let result = Result { () throws(TransferError) in
        try RequestBodyReader(request, onBytesAvailable: self.resumeLater)
      }
      loop.post(.opened(self, OpenedBody(result: result)))
    }
  }

  /// Cancels the pending work, because the file has been opened or is no longer needed.
  func cancelOpening() {
    if let number = openingWorkNumber.take() { BlockingWorkPool.files.remove(number) }
  }

  /// Makes the loop resume the transfer; may be called on any thread.
  private var resumeLater: @Sendable () -> Void {
    { [weak self] in
      guard let self else { return }
      loop.post(.resume(self))
    }
  }
}

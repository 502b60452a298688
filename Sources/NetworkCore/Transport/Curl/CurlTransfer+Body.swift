internal import Foundation

// Opening the request's body.
extension CurlTransfer {
  /// Whether the body is a file that has not been opened.
  var isFileClosed: Bool {
    if case .file = request.content { body == nil } else { false }
  }

  /// Opens the body, unless it is still open from before a redirect.
  func openBody(of request: TransportRequest) throws(TransferError) {
    if body == nil { body = try BodyCursor(request, more: self.goOnLater) }
  }

  /// Opens the file to send on another thread, which then posts `.opened` to the loop.
  func openFile() {
    isOpeningFile = true
    // One queue for each request: a stalled file system delays this request alone.
    DispatchQueue(label: "CurlTransfer.file").async { [self, request] in
      let result = Result { () throws(TransferError) in try BodyCursor(request, more: self.goOnLater) }
      loop.post(.opened(self, OpenedBody(result: result)))
    }
  }

  /// Makes the loop resume the transfer; may be called on any thread.
  private var goOnLater: @Sendable () -> Void {
    { [weak self] in
      guard let self else { return }
      loop.post(.goOn(self))
    }
  }
}

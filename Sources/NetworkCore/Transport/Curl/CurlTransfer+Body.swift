internal import Foundation

// Opening the request's body.
extension CurlTransfer {
  /// Opens the body, unless it is still open from before a redirect.
  ///
  /// - Returns: `false` for a file: it is opened on another thread, which then posts `.opened` to the loop.
  func openBody(of request: TransportRequest) throws(TransferError) -> Bool {
    guard body == nil else { return true }
    guard case .file = request.content else {
      body = try BodyCursor(request, more: self.goOnLater)
      return true
    }
    isOpeningFile = true
    // One queue for each request: a stalled file system delays this request alone.
    DispatchQueue(label: "CurlTransfer.file").async { [self] in
      let result = Result { () throws(TransferError) in try BodyCursor(request, more: self.goOnLater) }
      loop.post(.opened(self, OpenedBody(result: result)))
    }
    return false
  }

  /// Makes the loop resume the transfer; may be called on any thread.
  private var goOnLater: @Sendable () -> Void {
    { [weak self] in
      guard let self else { return }
      loop.post(.goOn(self))
    }
  }
}

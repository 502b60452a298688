internal import Foundation

// The opening of what is sent.
extension CurlTransfer {
  /// Opens the body, unless it is still open from before a redirect.
  ///
  /// - Returns: `false` for a file, which is looked at elsewhere first: the loop gets `.opened` then.
  func openBody(of request: TransportRequest) throws(TransferError) -> Bool {
    guard body == nil else { return true }
    guard case .file = request.content else {
      body = try BodyCursor(request, more: self.goOnLater)
      return true
    }
    isOpeningFile = true
    // A queue for each: a file system that does not answer holds up this request alone.
    DispatchQueue(label: "CurlTransfer.file").async { [self] in
      let result = Result { () throws(TransferError) in try BodyCursor(request, more: self.goOnLater) }
      loop.post(.opened(self, OpenedBody(result: result)))
    }
    return false
  }

  /// Has the loop go on with the transfer, from any thread.
  private var goOnLater: @Sendable () -> Void {
    { [weak self] in
      guard let self else { return }
      loop.post(.goOn(self))
    }
  }
}

internal import CNetworkCoreCurl

// Pauses in both directions, as libcurl applies them.
extension CurlTransfer {
  /// Whether the transfer is not paused in either direction.
  var isRunning: Bool { !pauses.isSendingPaused && !pauses.isReceivingPaused }

  /// Resumes in both directions, because there may be more of the body to send or room for more of the
  /// response; returns the reason why the transfer must end, if there is one.
  func unpause() -> TransferError? {
    guard pauses.isSendingPaused || pauses.isReceivingPaused, let easy else { return nil }
    let wasReceivingPaused = pauses.isReceivingPaused
    if wasReceivingPaused || upload.outlastsResponse { lastActivity = loop.now }
    (pauses.isSendingPaused, pauses.isReceivingPaused) = (false, false)
    var code = processDeferredBytes()
    if code == CCURLE_OK, !pauses.isReceivingPaused {
      easy.limitsWindow = false
      pauses.isResuming = easy.library.defects.losesDataPausedAgain
      // In both directions: a direction that still has to wait pauses again.
      code = easy.unpause()
      pauses.isResuming = false
      // If no bytes were held back, the code means that there is no connection: libcurl waits for another one, and
      // will ask for the body anew.
      if code == CCURLE_BAD_FUNCTION_ARGUMENT, !wasReceivingPaused { code = CCURLE_OK }
    }
    if code == CCURLE_OK, pauses.isReceivingPaused {
      if reception.isMultiplexed { easy.limitsWindow = true }
      if pauses.deferredBytes != nil { easy.pauseReceiving(isSendingPaused: pauses.isSendingPaused) }
    }
    return code == CCURLE_OK ? nil : TransferError(code: code, easy: easy, transfer: self)
  }
}

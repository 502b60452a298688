internal import CNetworkCoreCurl
internal import Foundation

// Bytes that libcurl delivers within the call that ends a pause, and that have to wait.
//
// libcurl 8.16 loses the part of a body that it has kept, and reports `CURLE_AGAIN`, if the transfer is
// paused again within the call that ends a pause (`curl_easy_pause`). So the write callback never pauses
// there: it keeps those bytes here, no more than libcurl had kept, and the transfer is paused after the call
// (`LibcurlDefects.losesDataPausedAgain`). This can be removed when 8.19 is the floor;
// `DecompressionBombTests` fails with 8.16 without it.
extension CurlTransfer {
  /// Stores bytes for later; returns the result for libcurl's write callback.
  func deferBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
    if pauses.isProcessingDeferred {
      pauses.deferredAgainCount = bytes.count
    } else {
      pauses.deferredBytes = (pauses.deferredBytes ?? Data()) + bytes
    }
    return bytes.count
  }

  /// Processes the deferred bytes that need not wait any longer; returns a `CURLcode`.
  func processDeferredBytes() -> Int {
    guard let bytes = pauses.deferredBytes.take() else { return CCURLE_OK }
    pauses.deferredAgainCount = nil
    (pauses.isResuming, pauses.isProcessingDeferred) = (true, true)
    // Even if no bytes are deferred, the decoder may still have too much output.
    let isTaken = bytes.withUnsafeBytes { process($0) == $0.count } && failure == nil
    (pauses.isResuming, pauses.isProcessingDeferred) = (false, false)
    // The rest shares the memory of the whole.
    pauses.deferredBytes = pauses.deferredAgainCount.map { bytes.suffix($0) }
    return isTaken ? CCURLE_OK : CCURLE_WRITE_ERROR
  }

  /// Processes all deferred bytes of a transfer that has ended; returns the `CURLcode` of its end.
  func processLastDeferredBytes(_ code: Int) -> Int {
    guard code == CCURLE_OK, pauses.deferredBytes != nil else { return code }
    pauses.bypassesPauses = true
    defer { pauses.bypassesPauses = false }
    pauses.isReceivingPaused = false
    return processDeferredBytes()
  }
}

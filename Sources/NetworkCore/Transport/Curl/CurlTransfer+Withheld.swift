internal import CCurl
internal import Foundation

// What libcurl hands out while it is told to go on, and that has to wait.
//
// libcurl 8.16 loses what it has kept of a body, and reports `CURLE_AGAIN`, if the transfer is paused again within the call that ends a
// pause (`curl_easy_pause`). There the write callback never does that: it keeps those bytes here, no more than libcurl had kept, and the
// transfer is paused after the call (`CurlLibrary.losesWhatIsPausedAgain`). This may go when 8.19 is the floor; `PackedSizeTests` fails
// with 8.16 without it.
extension CurlTransfer {
  /// Keeps bytes for later; returns what libcurl's write callback has to.
  func withhold(_ bytes: UnsafeRawBufferPointer) -> Int {
    if isTakingWithheld {
      leftWithheld = bytes.count
    } else {
      withheld = (withheld ?? Data()) + bytes
    }
    return bytes.count
  }

  /// Takes what has been withheld, as far as it need not wait any longer; returns a `CURLcode`.
  func takeWithheld() -> Int {
    guard let bytes = withheld.take() else { return CCURLE_OK }
    leftWithheld = nil
    (isGoingOn, isTakingWithheld) = (true, true)
    // Of none at all, what has been unpacked may still be too much.
    let isTaken = bytes.withUnsafeBytes { process($0) == $0.count } && failure == nil
    (isGoingOn, isTakingWithheld) = (false, false)
    // The rest shares the memory of the whole.
    withheld = leftWithheld.map { bytes.suffix($0) }
    return isTaken ? CCURLE_OK : CCURLE_WRITE_ERROR
  }

  /// Takes all that has been withheld of a transfer that has ended; returns the `CURLcode` that it ends with.
  func takeLastWithheld(_ code: Int) -> Int {
    guard code == CCURLE_OK, withheld != nil else { return code }
    takesAll = true
    defer { takesAll = false }
    isReceivingPaused = false
    return takeWithheld()
  }
}

internal import Foundation

/// What libcurl or the transfer holds back in either direction.
struct PauseState {
  /// Whether libcurl waits for more of the body.
  var isSendingPaused = false
  /// Whether libcurl holds back received data.
  var isReceivingPaused = false
  /// Whether it does so until the received data has been delivered; `false` again once `eventQueue` has
  /// recorded it.
  var isHeldForDelivery = false
  /// The bytes that libcurl has delivered and that must wait; `nil` unless `isReceivingPaused`.
  ///
  /// Empty if only decoded bytes of them remain to be processed.
  var deferredBytes: Data?
  /// How many of the bytes being processed are deferred again.
  var deferredAgainCount: Int?
  /// Whether the write callback must not pause the transfer, because a pause of libcurl or of deferred bytes
  /// is being ended.
  var isResuming = false
  var isProcessingDeferred = false
  /// Whether the whole response has arrived, so that nothing of it has to wait any longer.
  var bypassesPauses = false
}

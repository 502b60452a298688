import Foundation
import ReactiveNetworkLock

// Time limits.
extension WebSocketConnection {
  /// Cancels the request, which closes the connection.
  func cut() {
    let request = state.withLock { $0.request }
    request?.cancel()
  }

  /// Closes the connection when nothing has been sent for the `closeTimeout`, no message is arriving, and no receiver
  /// has stopped reading, unless the server does before.
  func cutLater() {
    let taken = sendQueue.takenCount
    let message = state.withLock { $0.partialMessage }
    let timer = scheduler.schedule(after: options.closeTimeout) { [weak self] in
      self?.cutUnlessMoving(sinceSending: taken, receiving: message)
    }
    let spent = state.withLock { state -> (any Cancellable)? in
      guard state.request != nil, state.closing == nil else { return timer }
      state.closing = timer
      return nil
    }
    spent?.cancel()
  }

  /// Gives the server the whole `closeTimeout`, if that has begun: after the close frame has left, however long the
  /// messages before it took, and after a slow receiver reads again.
  func restartClosing() {
    guard let timer = state.withLock({ $0.closing.take() }) else { return }
    timer.cancel()
    cutLater()
  }

  private func cutUnlessMoving(
    sinceSending taken: Int, receiving message: WebSocketFrameDecoder.PartialMessage?
  ) {
    // What a stalled reader has not read yet may have the server's close frame, which comes after the message that
    // the server is sending.
    let mustRead = state.withLock { $0.isStalled || $0.isReceiving(after: message) }
    if mustRead || sendQueue.takenCount > taken {
      let spent = state.withLock { $0.closing.take() }
      withExtendedLifetime(spent) {}
      return cutLater()
    }
    sendQueue.end()
    finish(.underlying(TransferError.timedOut(.idle, after: options.closeTimeout), nil))
    cut()
  }

  /// Waits, unless the limit is 0 or the events end before.
  func wait(
    for seconds: TimeInterval, _ action: @escaping @Sendable (WebSocketConnection) -> Void
  ) {
    guard seconds > 0 else { return }
    let timer = scheduler.schedule(after: seconds) { [weak self] in
      if let self { action(self) }
    }
    let isOver = state.withLock { state in
      if !state.hasEnded { state.keepAlive = timer }
      return state.hasEnded
    }
    if isOver { timer.cancel() }
  }

  /// Sends a ping, unless the server has been silent since the last one.
  func checkLife() {
    let taken = sendQueue.takenCount
    let (isAlive, isPingDue) = state.withLock { $0.checkLife(taken) }
    guard isAlive else {
      sendQueue.end()
      finish(.underlying(WebSocketError.noPong(after: options.pingInterval), nil))
      return cut()
    }
    if isPingDue {
      sendQueue.append(WebSocketFrame.control(.ping, [])) { [weak self] error in
        self?.state.withLock { $0.pingLeft(isRefused: error != nil) }
      }
    }
    wait(for: options.pingInterval) { $0.checkLife() }
  }
}

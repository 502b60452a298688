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
    let (number, message) = state.withLock { ($0.beginClosing(), $0.partialMessage) }
    guard let number else { return }
    // Not earlier, because a close frame that has left in between would count as progress, and repeat the wait.
    let taken = sendQueue.takenCount
    let timer = scheduler.schedule(after: options.closeTimeout) { [weak self] in
      self?.cutUnlessMoving(number, sinceSending: taken, receiving: message)
    }
    let isCurrent = state.withLock { state in
      guard state.closing?.number == number else { return false }
      state.closing?.timer = timer
      return true
    }
    if !isCurrent { timer.cancel() }
  }

  /// Gives the server the whole `closeTimeout`, if that has begun: after the close frame has left, however long the
  /// messages before it took, and after a slow receiver reads again.
  func restartClosing() {
    guard let closing = state.withLock({ $0.closing.take() }) else { return }
    restart(closing)
  }

  /// Gives the server the whole `closeTimeout` after a wait that has been taken from the state.
  func restart(_ closing: WebSocketState.Closing) {
    closing.timer?.cancel()
    cutLater()
  }

  /// Cuts the connection at the end of a wait, unless that has just been cancelled.
  private func cutUnlessMoving(
    _ number: Int, sinceSending taken: Int, receiving message: WebSocketFrameDecoder.PartialMessage?
  ) {
    let isSending = sendQueue.takenCount > taken
    // What a stalled reader has not read yet may have the server's close frame, which comes after the message that
    // the server is sending.
    let (isCurrent, spent) = state.withLock { state in
      let isCurrent = state.closing?.number == number
      let isMoving = isSending || state.isStalled || state.isReceiving(after: message)
      return (isCurrent, isCurrent && isMoving ? state.closing.take() : nil)
    }
    guard isCurrent else { return }
    if let spent { return restart(spent) }
    sendQueue.end()
    finish(.underlying(TransferError.timedOut(.idle, after: options.closeTimeout), nil))
    cut()
  }

  /// Waits, unless the limit is 0 or the events end before.
  func wait(
    for limit: Duration, _ action: @escaping @Sendable (WebSocketConnection) -> Void
  ) {
    guard limit > .zero else { return }
    let timer = scheduler.schedule(after: limit) { [weak self] in
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
    let (taken, messagesWait) = (sendQueue.takenCount, sendQueue.hasMessages)
    let check = state.withLock { $0.checkLife(taken, messagesWait: messagesWait) }
    guard let (isAlive, isPingDue) = check else { return }
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

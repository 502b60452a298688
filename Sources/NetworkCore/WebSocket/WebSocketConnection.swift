import Foundation
import ReactiveNetworkLock

/// A WebSocket whose messages a closure receives; returned by
/// `NetworkProvider.webSocket(_:options:callbackQueue:receive:)`.
///
/// It stays open if it is released.
public final class WebSocketConnection: Cancellable {
  let options: WebSocketOptions
  let scheduler: any DelayScheduler
  let buffer = BodyBuffer()
  let sendQueue: WebSocketSendQueue
  let handshake: WebSocketHandshake
  let state = Lock(WebSocketState())
  /// Used by one thread at a time, which is the reader.
  private let decoder: Lock<WebSocketFrameDecoder>

  init(_ options: WebSocketOptions, _ scheduler: any DelayScheduler) {
    self.options = options
    self.scheduler = scheduler
    sendQueue = WebSocketSendQueue(limit: options.sendQueueLimit)
    handshake = WebSocketHandshake(options)
    decoder = Lock(WebSocketFrameDecoder(limit: options.messageLimit))
    sendQueue.setCloseHandler { [weak self] in self?.restartClosing() }
  }

  /// Whether `cancel()` was called.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Sends a message after those that were sent before.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - completion: called once, on a background thread that it may block: with `nil` when the connection has
  ///     taken the whole message, which does not mean that the server has received it, or with the reason why
  ///     it was not sent completely.
  public func send(
    _ message: WebSocketMessage, completion: (@Sendable (WebSocketError?) -> Void)? = nil
  ) {
    guard let completion else { return enqueue(message, onTaken: nil) }
    enqueue(
      message,
      onTaken: { error in
        _ = DispatchDelayScheduler().schedule(after: .zero) { completion(error) }
      })
  }

  /// Sends a message; calls `onTaken` on the caller's thread or on that of the transport, which it must not
  /// block.
  ///
  /// A full queue is reported on the caller's thread.
  package func enqueue(_ message: WebSocketMessage, onTaken: (@Sendable (WebSocketError?) -> Void)?) {
    guard state.withLock({ $0.isOpen }) else {
      onTaken?(.notOpen)
      return
    }
    sendQueue.append(message, completion: onTaken)
  }

  /// Closes the connection after the messages that wait to be sent.
  ///
  /// The server's messages are delivered until it has closed as well. The connection ends with an error if the
  /// server closes with a code other than 1000, 1001 and this one, or before it has got the messages, and with
  /// `TransferError.timedOut` if it has not closed when nothing has been sent, and no more of a message has arrived,
  /// for the `closeTimeout` of the options.
  ///
  /// - Parameters:
  ///   - code: the reason; a code that must not be sent (RFC 6455, section 7.4.2) is replaced by 1000.
  ///   - reason: a text for the server, cut at 123 bytes of UTF-8.
  public func close(code: WebSocketCloseCode = .normalClosure, reason: String = "") {
    let code = code.isValidInFrame ? code : .normalClosure
    let (isOpen, hasEnded) = state.withLock { state in
      if state.closingCode == nil { state.closingCode = code }
      return (state.isOpen, state.hasEnded)
    }
    guard !hasEnded else { return }
    // Before the handshake, there is nothing to close.
    guard isOpen else { return cancel() }
    sendQueue.close(WebSocketFrame.close(code, reason: reason))
    cutLater()
  }

  /// Closes the connection at once; the only event that follows is `.finished(.cancelled)`.
  ///
  /// The server receives a close frame (1001), unless a message is in the middle of being sent, and messages
  /// that wait are dropped.
  public func cancel() {
    let (wasOpen, hadEnded, wasStalled, closeFrame, timer, dropped) = state.withLock { state in
      defer {
        (state.isCancelled, state.isOpen, state.isStalled) = (true, false, false)
        (state.events, state.byteCount) = (Queue(), 0)
        // A clean end would hide that messages before it were dropped.
        if state.end != nil, !state.isEndTaken { state.end = .finished(.cancelled) }
      }
      return (
        state.isOpen, state.hasEnded, state.isStalled, state.closeFrame.take(), state.keepAlive.take(),
        (state.events, state.end)
      )
    }
    withExtendedLifetime(dropped) {}
    timer?.cancel()
    if let closeFrame {
      sendQueue.close(closeFrame)
    } else if wasOpen, !hadEnded, sendQueue.abandon(sending: WebSocketFrame.close(.goingAway)) {
      cutLater()
    } else if !hadEnded {
      cut()
    }
    if !hadEnded {
      // After the completions of the messages that were dropped.
      let wakeUps = state.withLock { state in
        state.end = .finished(.cancelled)
        return state.takeWakeUps()
      }
      for wakeUp in wakeUps { wakeUp() }
    }
    if wasStalled { read() }
  }

  /// Stores the request and begins to read.
  func begin(_ request: any Cancellable) {
    let mustCancel = state.withLock { state in
      state.request = request
      return state.isCancelled
    }
    if mustCancel { request.cancel() }
    wait(for: options.openTimeout) { connection in
      let error = TransferError.timedOut(.firstByte, after: connection.options.openTimeout)
      // The handshake may have come while the timer fired.
      if connection.finish(.underlying(error, nil), if: { !$0.isOpen }) { connection.cut() }
    }
    read()
  }

  /// Removes and returns the next event; after `nil`, calls `wakeUp` once when there is one.
  func next(orWhenReady wakeUp: @escaping @Sendable () -> Void) -> WebSocketEvent? {
    let (event, mustRead, closeFrame, closing) = state.withLock { state in
      let (event, mustRead, closeFrame) = state.next(orWhenReady: wakeUp)
      // Together, so that the wait does not end before what the receiver has kept from being read is read.
      return (event, mustRead, closeFrame, mustRead ? state.closing.take() : nil)
    }
    if let closeFrame { sendQueue.close(closeFrame) }
    if let closing { restart(closing) }
    if mustRead { read() }
    return event
  }
}

extension WebSocketConnection {
  /// Reads what has arrived; one thread at a time, because the next call follows a wake-up or a stall.
  private func read() {
    while true {
      guard state.withLock({ $0.continueReading() }) else { return }
      let unread = decoder.withLock { $0.unread }
      guard unread.isEmpty else {
        receive(unread)
        continue
      }
      guard let piece = buffer.next(orWhenReady: { [self] in read() }) else { return }
      switch piece {
      case .response(let response): open(response)
      case .chunk(let chunk): receive(chunk)
      case .end(let result): return end(result)
      }
    }
  }

  private func open(_ response: Response) {
    let compression = handshake.compression(in: response.headers)
    decoder.withLock { $0.compression = compression }
    if let compression { sendQueue.compress(with: compression) }
    let (wakeUps, timer) = state.withLock { state in
      guard !state.hasEnded else { return ([@Sendable () -> Void](), nil as (any Cancellable)?) }
      state.isOpen = true
      state.events.append(.opened(self, response))
      return (state.takeWakeUps(), state.keepAlive.take())
    }
    timer?.cancel()
    for wakeUp in wakeUps { wakeUp() }
    wait(for: options.pingInterval) { $0.checkLife() }
  }

  private func receive(_ chunk: Data) {
    let hasEnded = state.withLock { state in
      state.isAlive = true
      return state.hasEnded
    }
    // After a close frame, nothing counts.
    let (events, failure, partialMessage) = decoder.withLock { decoder in
      var events: [WebSocketFrameDecoder.Event] = []
      do throws(WebSocketError) {
        try decoder.decode(hasEnded ? Data() : chunk, into: &events)
        return (events, nil as WebSocketError?, decoder.partialMessage)
      } catch {
        return (events, error, nil)
      }
    }
    let endIndex = events.firstIndex { if case .close = $0 { true } else { false } } ?? events.endIndex
    // Before the messages, so that the answer to a message does not overtake the pong.
    for case .ping(let payload) in events[..<endIndex] {
      sendQueue.append(WebSocketFrame.control(.pong, payload))
    }
    let wakeUps = state.withLock { $0.append(events[..<endIndex], partialMessage) }
    for wakeUp in wakeUps { wakeUp() }
    if endIndex < events.endIndex, case .close(let code, let reason) = events[endIndex] {
      return close(by: code, reason)
    }
    if let failure { fail(failure) }
  }

  /// Responds to the server's close frame.
  private func close(by code: WebSocketCloseCode?, _ reason: String) {
    let (closingCode, hasMessages) = (state.withLock { $0.closingCode }, sendQueue.hasMessages)
    sendQueue.close(WebSocketFrame.close(code), dropsMessages: true)
    // A server that closes first need not take what waits, but one that was told to wait for it has to.
    let isClean = [nil, .normalClosure, .goingAway, closingCode].contains(code)
    let isComplete = closingCode == nil || !hasMessages
    finish(isClean && isComplete ? nil : .underlying(WebSocketError.closed(code: code, reason: reason), nil))
    // The server closes the connection first (section 7.1.1).
    cutLater()
  }

  private func fail(_ error: WebSocketError) {
    state.withLock { $0.closeFrame = WebSocketFrame.close(error.closeCode) }
    finish(.underlying(error, nil))
    cutLater()
  }

  /// Ends with the request.
  private func end(_ result: Result<Response, NetworkError>) {
    let (wasOpen, timers) = state.withLock { state in
      state.request = nil
      return (state.isOpen, [state.keepAlive.take(), state.closing.take()?.timer])
    }
    for timer in timers { timer?.cancel() }
    sendQueue.end()
    switch result {
    case .success where wasOpen:
      let reason = "the server closed it without a close frame"
      finish(.underlying(TransferError.connectionLost(reason: reason), nil))
    case .success(let response): finish(.statusCode(response))
    case .failure(let error): finish(error)
    }
  }

  /// Ends the events, unless they have ended or a condition is not fulfilled; returns `true` if it ends them.
  @discardableResult
  func finish(_ error: NetworkError?, if condition: (WebSocketState) -> Bool = { _ in true }) -> Bool {
    let (isEnd, wakeUps, timer) = state.withLock { state in
      guard !state.hasEnded, condition(state) else {
        return (false, [@Sendable () -> Void](), nil as (any Cancellable)?)
      }
      state.end = .finished(error)
      return (true, state.takeWakeUps(), state.keepAlive.take())
    }
    timer?.cancel()
    for wakeUp in wakeUps { wakeUp() }
    return isEnd
  }
}

import ReactiveNetworkLock

/// The state of a `WebSocketConnection`: the events that wait for its receiver, and how far it has been opened
/// or closed.
struct WebSocketState {
  /// The number of bytes of messages that wait for the receiver, at which reading stops.
  private static let highWaterMark = 256 << 10

  var events = Queue<WebSocketEvent>()
  /// The number of bytes of the messages in `events`.
  var byteCount = 0
  /// Whether messages may be sent: from the handshake to the end.
  var isOpen = false
  /// Whether `close(code:reason:)` was called.
  var isClosing = false
  /// The last event, after those in `events`; each later call returns it again.
  var end: WebSocketEvent?
  var isCancelled = false
  /// Whether reading has stopped until the receiver has caught up.
  var isStalled = false
  /// Whether the server has sent anything since the last ping.
  var isAlive = true
  /// The callbacks of receivers that found no event.
  private var wakeUps: [@Sendable () -> Void] = []
  /// The request; `nil` after its end.
  var request: (any Cancellable)?
  /// The wait for the handshake, and then for the next ping.
  var keepAlive: (any Cancellable)?
  /// The wait for the other side to close.
  var closing: (any Cancellable)?
  /// The close frame to send when the receiver has got all messages, which it may still want to answer.
  var closeFrame: [UInt8]?

  /// Whether no event follows but the end, which a cancel reports when the messages have been dropped.
  var hasEnded: Bool { end != nil || isCancelled }

  /// Notes whether reading must stop for a slow receiver; returns `true` if it need not.
  mutating func mayRead() -> Bool {
    isStalled = byteCount >= Self.highWaterMark
    return !isStalled
  }

  /// Appends the received messages, unless the events have ended; returns the callbacks to call.
  mutating func append(_ received: ArraySlice<WebSocketFrameDecoder.Event>) -> [@Sendable () -> Void] {
    guard !hasEnded else { return [] }
    let count = events.count
    for case .message(let message) in received {
      events.append(.message(message))
      byteCount += message.byteCount
    }
    return events.count > count ? takeWakeUps() : []
  }

  /// Removes and returns the next event, whether reading must resume, and the close frame to send.
  ///
  /// If there is no event, keeps `wakeUp`.
  mutating func next(
    orWhenReady wakeUp: @escaping @Sendable () -> Void
  ) -> (event: WebSocketEvent?, mustRead: Bool, closeFrame: [UInt8]?) {
    guard let event = events.popFirst() else {
      if end == nil { wakeUps.append(wakeUp) }
      return (end, false, closeFrame.take())
    }
    if case .message(let message) = event { byteCount -= message.byteCount }
    guard isStalled, byteCount <= Self.highWaterMark / 2 else { return (event, false, nil) }
    isStalled = false
    return (event, true, nil)
  }

  /// Removes and returns the callbacks to call.
  mutating func takeWakeUps() -> [@Sendable () -> Void] {
    defer { wakeUps = [] }
    return wakeUps
  }
}

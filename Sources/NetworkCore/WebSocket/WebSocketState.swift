import ReactiveNetworkLock

/// The state of a `WebSocketConnection`: the events that wait for its receiver, and how far it has been opened
/// or closed.
struct WebSocketState {
  /// The number of bytes of messages that wait for the receiver, at which reading stops.
  private static let highWaterMark = 256 << 10

  var events = Queue<WebSocketEvent>()
  /// The number of bytes that the messages in `events` count.
  var byteCount = 0
  /// Whether messages may be sent: from the handshake to the end.
  var isOpen = false
  /// The code that `close(code:reason:)` has sent first; `nil` if it was not called.
  var closingCode: WebSocketCloseCode?
  /// The last event, after those in `events`; each later call returns it again.
  var end: WebSocketEvent?
  /// Whether the receiver has got the end.
  private(set) var isEndTaken = false
  var isCancelled = false
  /// Whether reading has stopped until the receiver has caught up.
  var isStalled = false
  /// What has happened to the latest ping, which waits behind the messages that were sent before.
  private enum Ping {
    case waiting
    /// It waits behind messages, or still waited at the check after it.
    case late
    /// It was late, and has left since the last check, so the server has had less than an interval to answer.
    case leftLate
    case left
    /// Too many bytes waited, or the queue was closed.
    case refused
  }

  /// A wait for the other side to close.
  struct Closing {
    let number: Int
    /// `nil` until it has been scheduled.
    var timer: (any Cancellable)?
  }

  /// Whether the server has sent anything since the last check.
  var isAlive = true
  private var ping = Ping.left
  /// The number of bytes that had been sent at the last check.
  private var sentCount = 0
  /// The callbacks of receivers that found no event.
  private var wakeUps: [@Sendable () -> Void] = []
  /// The request; `nil` after its end.
  var request: (any Cancellable)?
  /// The wait for the handshake, and then for the next ping.
  var keepAlive: (any Cancellable)?
  /// The wait for the other side to close.
  var closing: Closing?
  private var closingCount = 0
  /// The message that is arriving; `nil` between messages.
  private(set) var partialMessage: WebSocketFrameDecoder.PartialMessage?
  /// The close frame to send when the receiver has got all messages, which it may still want to answer.
  var closeFrame: [UInt8]?

  /// Whether no event follows but the end, which a cancel reports when the messages have been dropped.
  var hasEnded: Bool { end != nil || isCancelled }

  /// Stops reading if the receiver is slow; returns `true` if reading continues.
  ///
  /// After the end, what is read is dropped.
  mutating func continueReading() -> Bool {
    isStalled = !hasEnded && byteCount >= Self.highWaterMark
    return !isStalled
  }

  /// Appends the received messages, unless the events have ended.
  ///
  /// - Parameters:
  ///   - received: the messages.
  ///   - partialMessage: the message of which a part has arrived after them; `nil` if there is none.
  /// - Returns: the callbacks to call.
  mutating func append(
    _ received: ArraySlice<WebSocketFrameDecoder.Event>,
    _ partialMessage: WebSocketFrameDecoder.PartialMessage?
  ) -> [@Sendable () -> Void] {
    guard !hasEnded else { return [] }
    self.partialMessage = partialMessage
    let count = events.count
    for case .message(let message) in received {
      events.append(.message(message))
      byteCount += message.bufferedByteCount
    }
    return events.count > count ? takeWakeUps() : []
  }

  /// Whether more of a message has arrived than there was before, and its rest is still missing.
  ///
  /// Only the first message that arrives after `former` counts, so that a server cannot delay the end forever.
  func isReceiving(after former: WebSocketFrameDecoder.PartialMessage?) -> Bool {
    // After the end, what is read is dropped.
    guard !hasEnded, let partialMessage else { return false }
    guard let former else { return true }
    return partialMessage.number == former.number && partialMessage.byteCount > former.byteCount
  }

  /// Removes and returns the next event, whether reading must resume, and the close frame to send.
  ///
  /// If there is no event, keeps `wakeUp`.
  mutating func next(
    orWhenReady wakeUp: @escaping @Sendable () -> Void
  ) -> (event: WebSocketEvent?, mustRead: Bool, closeFrame: [UInt8]?) {
    guard let event = events.popFirst() else {
      if end == nil { wakeUps.append(wakeUp) } else { isEndTaken = true }
      return (end, false, closeFrame.take())
    }
    if case .message(let message) = event { byteCount -= message.bufferedByteCount }
    guard isStalled, byteCount <= Self.highWaterMark / 2 else { return (event, false, nil) }
    isStalled = false
    return (event, true, nil)
  }

  /// Begins a wait for the other side to close; returns its number, or `nil` if there is such a wait, or nothing to
  /// close.
  mutating func beginClosing() -> Int? {
    guard request != nil, closing == nil else { return nil }
    closingCount += 1
    closing = Closing(number: closingCount)
    return closingCount
  }

  /// Checks whether the server may be alive.
  ///
  /// A server that receives a long message cannot answer a ping behind it. Until the ping has left, each byte that
  /// is sent is a sign of life.
  ///
  /// - Parameters:
  ///   - sentCount: the number of bytes that have been sent.
  ///   - messagesWait: whether a ping would wait behind messages.
  /// - Returns: whether it may be alive, and whether a ping is due; `nil` after the end or a close frame of this
  ///   side, which no ping can follow.
  mutating func checkLife(_ sentCount: Int, messagesWait: Bool) -> (isAlive: Bool, isPingDue: Bool)? {
    guard !hasEnded, closingCode == nil else { return nil }
    // While reading has stopped, a response may be waiting unread.
    let isHeard = isAlive || isStalled
    let isReceiving = sentCount > self.sentCount
    (isAlive, self.sentCount) = (false, sentCount)
    switch ping {
    case .waiting, .late:
      ping = .late
      return (isHeard || isReceiving, false)
    case .leftLate where !isHeard:
      ping = .left
      return (true, false)
    case .left, .leftLate, .refused:
      let wasRefused = ping == .refused
      // Behind messages, it may leave right before the next check.
      ping = messagesWait ? .late : .waiting
      return (isHeard || wasRefused && isReceiving, true)
    }
  }

  /// Notes that the ping has left, or could not be queued.
  mutating func pingLeft(isRefused: Bool) {
    ping = isRefused ? .refused : ping == .late ? .leftLate : .left
  }

  /// Removes and returns the callbacks to call.
  mutating func takeWakeUps() -> [@Sendable () -> Void] { exchange(&wakeUps, with: []) }
}

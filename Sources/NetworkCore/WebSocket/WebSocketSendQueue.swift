import ReactiveNetworkLock

/// The frames that wait to be sent; the transport reads them as the body of the request.
final class WebSocketSendQueue: BodyReader, Sendable {
  /// Called when the transport has taken all bytes of a frame, or with an error if the frame will not be sent.
  typealias Completion = @Sendable (WebSocketError?) -> Void

  private struct Frame {
    /// The number of bytes that each waiting control frame counts in addition to its own, for the next one.
    static let overhead = 64

    let bytes: [UInt8]
    let completion: Completion?

    /// Whether it is a message, or a part of one, and not a control frame (RFC 6455, section 5.5).
    var isMessage: Bool { bytes.first.map { $0 & 8 == 0 } ?? false }
  }

  private struct State {
    var frames = Queue<Frame>()
    /// The number of bytes of the first frame that the transport has taken.
    var offset = 0
    /// The number of bytes that wait.
    var byteCount = 0
    /// The number of control frames that wait.
    var controlCount = 0
    /// The number of bytes that the transport has taken.
    var takenCount = 0
    /// Whether no frame is accepted; the bytes end after the last one.
    var isClosed = false
    /// Whether the transport has found no bytes, and waits for `onBytesAvailable`.
    var isAwaited = false
    var onBytesAvailable: (@Sendable () -> Void)?
    /// Called when the transport has taken the close frame.
    var onCloseTaken: (@Sendable () -> Void)?

    /// Returns the close frame in a form that reports when it has been taken.
    func closing(_ bytes: [UInt8]) -> Frame {
      let onTaken = onCloseTaken
      return Frame(bytes: bytes) { error in if error == nil { onTaken?() } }
    }

    mutating func append(_ frame: Frame) {
      frames.append(frame)
      byteCount += frame.bytes.count
      if !frame.isMessage { controlCount += 1 }
    }

    mutating func popFirst() -> Frame? {
      let frame = frames.popFirst()
      if frame?.isMessage == false { controlCount -= 1 }
      return frame
    }

    /// Returns what the caller has to call because bytes are available; `nil` if the transport does not wait.
    mutating func wakeUp() -> (@Sendable () -> Void)? {
      guard isAwaited else { return nil }
      isAwaited = false
      return onBytesAvailable
    }

    /// Removes and returns the frames, except for the bytes of one that is in the middle of being sent.
    mutating func dropMessages() -> [Frame] {
      let dropped = frames.elements
      frames = Queue(offset > 0 ? dropped.prefix(1).map { Frame(bytes: $0.bytes, completion: nil) } : [])
      byteCount = frames.first.map { $0.bytes.count - offset } ?? 0
      controlCount = frames.first?.isMessage == false ? 1 : 0
      return dropped
    }
  }

  private let limit: Int
  private let state = Lock(State())
  /// Compresses the messages, and keeps their order, which compressed ones depend on; `nil` for no compression.
  ///
  /// It has a lock of its own, so that the transport does not wait for a compression.
  private let deflater = Lock(nil as MessageDeflater?)

  /// Creates a queue.
  ///
  /// - Parameter limit: the maximum number of bytes that may wait; the first frame may exceed it.
  init(limit: Int) {
    self.limit = limit
  }

  /// The number of bytes that the transport has taken.
  var takenCount: Int { state.withLock { $0.takenCount } }

  /// Whether messages wait, or one is in the middle of being sent.
  var hasMessages: Bool { state.withLock { $0.frames.elements.contains(where: \.isMessage) } }

  /// Stores the closure that makes the transport read again.
  func open(onBytesAvailable: @escaping @Sendable () -> Void) -> WebSocketSendQueue {
    state.withLock { $0.onBytesAvailable = onBytesAvailable }
    return self
  }

  /// Stores the closure that is called when the transport has taken the close frame.
  func setCloseHandler(_ onCloseTaken: @escaping @Sendable () -> Void) {
    state.withLock { $0.onCloseTaken = onCloseTaken }
  }

  /// Compresses the messages that follow.
  func compress(with parameters: PerMessageDeflate) {
    deflater.withLock { $0 = MessageDeflater(parameters) }
  }

  /// Appends a message, unless too many bytes wait.
  func append(_ message: WebSocketMessage, completion: Completion?) {
    let (error, wakeUp) = deflater.withLock { deflater in
      let result = add(WebSocketFrame.message(message, deflater: &deflater), completion)
      if result.error != nil { deflater?.reset() }
      return result
    }
    if let error { completion?(error) }
    wakeUp?()
  }

  /// Appends a control frame, unless too many bytes wait.
  ///
  /// This also applies to pongs, because a server may send pings and read nothing. A control frame counts more than
  /// its bytes, because it may have no content.
  func append(_ frame: [UInt8], completion: Completion? = nil) {
    let (error, wakeUp) = add(frame, completion)
    if let error { completion?(error) }
    wakeUp?()
  }

  /// Appends a frame, unless too many bytes wait; returns the error for the completion, and what the caller has
  /// to call.
  private func add(
    _ bytes: [UInt8], _ completion: Completion?
  ) -> (error: WebSocketError?, wakeUp: (@Sendable () -> Void)?) {
    let frame = Frame(bytes: bytes, completion: completion)
    return state.withLock { state in
      guard !state.isClosed else { return (.notOpen, nil) }
      let overhead = frame.isMessage ? 0 : state.controlCount * Frame.overhead
      guard state.byteCount == 0 || state.byteCount + overhead + bytes.count <= limit else {
        return (.sendQueueFull(limit: limit), nil)
      }
      state.append(frame)
      return (nil, state.wakeUp())
    }
  }

  /// Appends the close frame, after which no other is accepted.
  ///
  /// - Parameters:
  ///   - closeFrame: the frame.
  ///   - dropsMessages: whether the messages that wait are dropped, because the server would ignore them.
  func close(_ closeFrame: [UInt8], dropsMessages: Bool = false) {
    let (dropped, wakeUp) = state.withLock { state in
      guard !state.isClosed else { return ([Frame](), nil as (@Sendable () -> Void)?) }
      state.isClosed = true
      let dropped = dropsMessages ? state.dropMessages() : []
      state.append(state.closing(closeFrame))
      return (dropped, state.wakeUp())
    }
    for frame in dropped { frame.completion?(.notOpen) }
    wakeUp?()
  }

  /// Drops the messages that wait, and sends the close frame, unless one has been appended before.
  ///
  /// - Returns: `false` if a message is in the middle of being sent, so that no close frame can follow.
  func abandon(sending closeFrame: [UInt8]) -> Bool {
    let (isSent, dropped, wakeUp) = state.withLock { state in
      let isBetweenFrames = state.offset == 0
      var dropped = state.frames.elements
      let last = state.isClosed ? dropped.popLast() : state.closing(closeFrame)
      (state.frames, state.byteCount, state.controlCount) = (Queue(), 0, 0)
      (state.offset, state.isClosed) = (0, true)
      if isBetweenFrames, let last { state.append(last) }
      return (isBetweenFrames, dropped, state.wakeUp())
    }
    for frame in dropped { frame.completion?(.notOpen) }
    wakeUp?()
    return isSent
  }

  /// Ends the queue because the connection has ended.
  func end() {
    let dropped = state.withLock { state in
      defer { state.frames = Queue() }
      (state.isClosed, state.byteCount, state.offset) = (true, 0, 0)
      (state.onBytesAvailable, state.onCloseTaken) = (nil, nil)
      return state.frames
    }
    for frame in dropped.elements { frame.completion?(.notOpen) }
  }

  /// Removes and returns the next frame, for a reader that takes whole frames.
  func next() -> [UInt8]? {
    let frame = state.withLock { state in
      let frame = state.popFirst()
      state.byteCount -= frame?.bytes.count ?? 0
      state.takenCount += frame?.bytes.count ?? 0
      state.isAwaited = frame == nil
      return frame
    }
    frame?.completion?(nil)
    return frame?.bytes
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    var sent: [Completion] = []
    let count = state.withLock { state -> Int? in
      var end = 0
      while end < buffer.count, let frame = state.frames.first {
        let count = min(buffer.count - end, frame.bytes.count - state.offset)
        frame.bytes.withUnsafeBytes { bytes in
          UnsafeMutableRawBufferPointer(rebasing: buffer[end..<end + count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count]))
        }
        (end, state.offset, state.byteCount) = (end + count, state.offset + count, state.byteCount - count)
        guard state.offset == frame.bytes.count else { break }
        if let completion = state.popFirst()?.completion { sent.append(completion) }
        state.offset = 0
      }
      state.takenCount += end
      state.isAwaited = end == 0 && !state.isClosed
      return state.isAwaited ? nil : end
    }
    for completion in sent { completion(nil) }
    return count
  }
}

import Foundation

/// Reads the frames that a server sends (RFC 6455, section 5), whatever pieces they arrive in.
struct WebSocketFrameDecoder {
  enum Event: Equatable {
    case message(WebSocketMessage)
    case ping([UInt8])
    case pong
    /// The server closes; the code is `nil` if the frame has none.
    case close(WebSocketCloseCode?, reason: String)
  }

  private enum Step {
    /// The head of a frame, as far as it has arrived.
    case head
    /// The rest of the payload of a data frame.
    case data(remaining: Int, isFinal: Bool)
    /// The rest of the payload of a control frame.
    case control(WebSocketFrame.Opcode, remaining: Int)
  }

  /// The number of bytes that messages count in a buffer after which `decode` returns, so that their receiver can
  /// keep up.
  private static let batchSize = 256 << 10

  /// A message whose rest is missing.
  struct PartialMessage {
    /// The number of messages that were complete before it.
    let number: Int
    /// The number of bytes of its payload that have arrived, decompressed.
    let byteCount: Int
  }

  private let limit: Int
  /// Whether the server's messages may be compressed, and how.
  var compression: PerMessageDeflate?
  private var inflater: DeflateStream?
  private var step = Step.head
  private var head: [UInt8] = []
  private var controlPayload: [UInt8] = []
  /// The type of the message whose fragments are arriving; `nil` between messages.
  private var messageType: WebSocketFrame.Opcode?
  private var isCompressed = false
  private var message = Data()
  private var completeMessages = 0
  /// The received bytes that have not been read, because many messages came before them.
  private(set) var unread = Data()
  private var validator = UTF8Validator()

  /// Creates a decoder.
  ///
  /// - Parameter limit: the maximum size of a message in bytes; a negative one counts as 0.
  init(limit: Int) {
    self.limit = max(0, limit)
  }

  /// Reads further bytes, and appends what they complete to `events`; keeps in `unread` what follows a batch of
  /// messages.
  ///
  /// - Throws: a violation of the protocol, or a message beyond the limit; the events before it are valid.
  mutating func decode(_ chunk: Data, into events: inout [Event]) throws(WebSocketError) {
    unread = Data()
    var decodedBytes = 0
    try withBytes(of: chunk) { bytes throws(WebSocketError) in
      var rest = bytes[...]
      while !rest.isEmpty || isAtEndOfPayload {
        guard decodedBytes < Self.batchSize else {
          unread = Data(UnsafeRawBufferPointer(rebasing: rest))
          return
        }
        switch step {
        case .head: try readHead(&rest)
        case .data(let remaining, let isFinal):
          let piece = rest.prefix(remaining)
          rest = rest.dropFirst(piece.count)
          try append(UnsafeRawBufferPointer(rebasing: piece))
          step = .data(remaining: remaining - piece.count, isFinal: isFinal)
          if piece.count == remaining { decodedBytes += try endData(isFinal: isFinal, &events) }
        case .control(let opcode, let remaining):
          let piece = rest.prefix(remaining)
          rest = rest.dropFirst(piece.count)
          controlPayload.append(contentsOf: piece)
          step = .control(opcode, remaining: remaining - piece.count)
          if piece.count == remaining { try endControl(opcode, &events) }
        }
      }
    }
  }

  /// The message that is arriving; `nil` between messages.
  var partialMessage: PartialMessage? {
    messageType.map { _ in PartialMessage(number: completeMessages, byteCount: message.count) }
  }

  /// Whether the frame is complete although it has no payload.
  private var isAtEndOfPayload: Bool {
    switch step {
    case .head: false
    case .data(let remaining, _), .control(_, let remaining): remaining == 0
    }
  }

  private mutating func readHead(_ rest: inout Slice<UnsafeRawBufferPointer>) throws(WebSocketError) {
    while head.count < headLength, let byte = rest.popFirst() { head.append(byte) }
    guard head.count >= 2, head.count == headLength else { return }
    let length = head.count == 2 ? UInt64(head[1] & 0x7F) : head[2...].reduce(0) { $0 << 8 | UInt64($1) }
    let (first, second) = (head[0], head[1])
    head.removeAll(keepingCapacity: true)
    let isFinal = first & 0x80 != 0
    let isCompressed = first & 0x40 != 0
    guard first & 0x30 == 0, !isCompressed || compression != nil else {
      throw .violation("a frame has reserved bits set")
    }
    guard second & 0x80 == 0 else { throw .violation("a frame of the server is masked") }
    // The shortest form, and never the highest bit (section 5.2).
    switch second & 0x7F {
    case 126 where length < 126, 127 where length < 65_536:
      throw .violation("the length \(length) of a frame is not in the shortest form")
    case 127 where length > Int64.max: throw .violation("the length of a frame has its highest bit set")
    default: break
    }
    guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0F) else {
      throw .violation("the opcode \(first & 0x0F) is reserved")
    }
    guard !isCompressed || opcode == .text || opcode == .binary else {
      throw .violation("a frame that does not begin a message is marked as compressed")
    }
    if opcode.isControl {
      guard isFinal else { throw .violation("a control frame is fragmented") }
      guard length <= 125 else { throw .violation("a control frame has \(length) bytes") }
      controlPayload = []
      step = .control(opcode, remaining: Int(length))
      return
    }
    switch (opcode, messageType) {
    case (.continuation, nil): throw .violation("a continuation frame follows no message")
    case (.continuation, _): break
    case (_, nil):
      (messageType, message, validator) = (opcode, Data(), UTF8Validator())
      self.isCompressed = isCompressed
    default: throw .violation("a message begins before the last one has ended")
    }
    // The length of a compressed message is known only when it has been decompressed.
    let limitOfFrame = self.isCompressed ? Int.max : limit - message.count
    guard length <= UInt64(limitOfFrame) else { throw .messageTooLong(limit: limit) }
    step = .data(remaining: Int(length), isFinal: isFinal)
  }

  /// The length of the head of the frame, as far as it is known.
  private var headLength: Int {
    guard head.count >= 2 else { return 2 }
    return switch head[1] & 0x7F {
    case 126: 4
    case 127: 10
    default: 2
    }
  }

  private mutating func append(_ piece: UnsafeRawBufferPointer) throws(WebSocketError) {
    guard isCompressed else { return try appendDecompressed(piece) }
    inflater = inflater ?? DeflateStream(compressing: false, windowBits: 15)
    guard let inflater else { throw .invalidCompression }
    let isValid = try inflater.process(piece) { piece throws(WebSocketError) in
      try appendDecompressed(piece)
    }
    guard isValid else { throw .invalidCompression }
  }

  private mutating func appendDecompressed(_ piece: UnsafeRawBufferPointer) throws(WebSocketError) {
    guard piece.count <= limit - message.count else { throw .messageTooLong(limit: limit) }
    guard messageType != .text || validator.check(piece) else { throw .invalidText }
    message.append(contentsOf: piece)
  }

  /// Ends a data frame.
  ///
  /// If it completes a message, returns the number of bytes that this one counts in a buffer.
  private mutating func endData(isFinal: Bool, _ events: inout [Event]) throws(WebSocketError) -> Int {
    step = .head
    guard isFinal else { return 0 }
    if isCompressed {
      try withBytes(of: DeflateStream.end) { end throws(WebSocketError) in try append(end) }
      guard inflater?.isAtBoundary == true else { throw .invalidCompression }
      if compression?.serverKeepsContext == false { inflater?.reset() }
    }
    defer { (messageType, message, completeMessages) = (nil, Data(), completeMessages + 1) }
    if messageType == .text {
      guard validator.isComplete else { throw .invalidText }
      events.append(.message(.text(String(decoding: message, as: UTF8.self))))
    } else {
      events.append(.message(.binary(message)))
    }
    return message.count + WebSocketMessage.overhead
  }

  private mutating func endControl(
    _ opcode: WebSocketFrame.Opcode, _ events: inout [Event]
  ) throws(WebSocketError) {
    step = .head
    switch opcode {
    case .ping: events.append(.ping(controlPayload))
    case .pong: events.append(.pong)
    default: events.append(try closing(controlPayload))
    }
  }

  /// Reads the payload of a close frame (section 5.5.1).
  private func closing(_ payload: [UInt8]) throws(WebSocketError) -> Event {
    guard !payload.isEmpty else { return .close(nil, reason: "") }
    guard payload.count >= 2 else { throw .violation("a close frame has one byte") }
    let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isValidInFrame else { throw .violation("the close code \(code.rawValue) is reserved") }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidText }
    return .close(code, reason: reason)
  }
}

extension WebSocketError {
  fileprivate static func violation(_ reason: String) -> WebSocketError {
    .protocolViolation(code: .protocolError, reason: reason)
  }

  fileprivate static let invalidText = WebSocketError.protocolViolation(
    code: .invalidPayload, reason: "text is not UTF-8")

  fileprivate static let invalidCompression = WebSocketError.protocolViolation(
    code: .invalidPayload, reason: "a compressed message is not valid")

  /// The code with which the client closes the connection because of the error.
  var closeCode: WebSocketCloseCode {
    switch self {
    case .protocolViolation(let code, _): code
    case .messageTooLong: .messageTooBig
    default: .goingAway
    }
  }
}

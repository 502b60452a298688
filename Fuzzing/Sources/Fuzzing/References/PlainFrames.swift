import Foundation
@testable import LoopbackServer
@testable import NetworkCore

/// The events of a server's bytes, by the steps of RFC 6455, section 5, without compression.
struct PlainFrames {
  private(set) var events: [WebSocketFrameDecoder.Event] = []
  private(set) var isFailed = false
  private var message: [UInt8] = []
  /// The opcode of the message whose fragments follow each other.
  private var kind: UInt8?

  init(_ bytes: [UInt8], limit: Int) {
    read(bytes, limit)
  }

  private mutating func read(_ bytes: [UInt8], _ limit: Int) {
    var rest = bytes[...]
    while !isFailed, let head = Head(rest) {
      guard head.isRegular, !head.isMasked else { return isFailed = true }
      rest = rest.dropFirst(head.count)
      let payload = Array(rest.prefix(Int(clamping: head.length)))
      rest = rest.dropFirst(payload.count)
      let isComplete = UInt64(payload.count) == head.length
      if head.opcode >= 8 {
        if isComplete { endControl(head.opcode, payload) }
      } else {
        let isFirst = head.opcode != 0
        let isExcess = head.length > UInt64(limit - (isFirst ? 0 : message.count))
        guard isFirst == (kind == nil), !isExcess else { return isFailed = true }
        if isFirst { (kind, message) = (head.opcode, []) }
        message += payload
        endData(isEnd: isComplete && head.first & 0x80 != 0)
      }
      if !isComplete { return }
    }
  }

  private mutating func endData(isEnd: Bool) {
    let text = String(validating: message, as: UTF8.self)
    if kind == 1, isEnd ? text == nil : !Self.isBeginningOfText(message) {
      isFailed = true
    } else if isEnd {
      events.append(.message(kind == 1 ? .text(text ?? "") : .binary(Data(message))))
      kind = nil
    }
  }

  private mutating func endControl(_ opcode: UInt8, _ payload: [UInt8]) {
    if opcode == 9 { events.append(.ping(payload)) }
    if opcode == 10 { events.append(.pong) }
    guard opcode == 8 else { return }
    if payload.isEmpty { return events.append(.close(nil, reason: "")) }
    // Section 7.4, and the registry of codes.
    let code = payload.count < 2 ? 0 : UInt16(payload[0]) * 256 + UInt16(payload[1])
    let isReserved =
      code < 1000 || (1004...1006).contains(code) || (1015...2999).contains(code) || code > 4999
    guard !isReserved, let reason = String(validating: payload[2...], as: UTF8.self) else {
      return isFailed = true
    }
    events.append(.close(WebSocketCloseCode(rawValue: code), reason: reason))
  }

  /// Whether some bytes make a text of these.
  private static func isBeginningOfText(_ bytes: [UInt8]) -> Bool {
    var endings: [[UInt8]] = [[]]
    for first: UInt8 in [0x80, 0x90, 0xA0] { endings += [[first], [first, 0x80], [first, 0x80, 0x80]] }
    return endings.contains { String(validating: bytes + $0, as: UTF8.self) != nil }
  }

  /// The frames of a client, as the server reads them without checking them.
  static func ofClient(_ bytes: [UInt8]) -> [WebSocketFrameParser.Event] {
    var events: [WebSocketFrameParser.Event] = []
    var rest = bytes[...]
    while let head = Head(rest) {
      guard head.length >> 63 == 0 else { return events + [.invalidLength] }
      let key = head.isMasked ? Array(rest.dropFirst(head.count).prefix(4)) : []
      rest = rest.dropFirst(head.count + (head.isMasked ? 4 : 0))
      guard key.count == (head.isMasked ? 4 : 0), UInt64(rest.count) >= head.length else { break }
      var payload = Array(rest.prefix(Int(head.length)))
      rest = rest.dropFirst(payload.count)
      for (index, byte) in payload.enumerated() where head.isMasked { payload[index] = byte ^ key[index % 4] }
      events.append(
        .frame(
          LoopbackServer.WebSocket.Frame(
            opcode: head.opcode, isFinal: head.first & 0x80 != 0, isCompressed: head.first & 0x40 != 0,
            isMasked: head.isMasked, payload: payload)))
    }
    return events
  }

  /// The first bytes of a frame, without the mask.
  private struct Head {
    let first: UInt8
    let isMasked: Bool
    let count: Int
    let length: UInt64
    private let isShortest: Bool

    var opcode: UInt8 { first & 0x0F }

    var isRegular: Bool {
      let isControl = opcode >= 8
      return first & 0x70 == 0 && [0, 1, 2, 8, 9, 10].contains(opcode) && isShortest && length >> 63 == 0
        && (!isControl || first & 0x80 != 0 && length <= 125)
    }

    /// `nil` if the bytes end within the head.
    init?(_ bytes: ArraySlice<UInt8>) {
      let bytes = Array(bytes.prefix(10))
      guard bytes.count >= 2 else { return nil }
      (first, isMasked) = (bytes[0], bytes[1] >= 0x80)
      let short = bytes[1] % 128
      count = short == 127 ? 10 : short == 126 ? 4 : 2
      guard bytes.count >= count else { return nil }
      length = short < 126 ? UInt64(short) : bytes[2..<count].reduce(0) { $0 * 256 + UInt64($1) }
      isShortest = short < 126 || length >= (short == 126 ? 126 : 65_536)
    }
  }
}

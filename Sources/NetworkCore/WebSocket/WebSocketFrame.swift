import Foundation

/// The frames of a client, which are masked, and of a stubbed server (RFC 6455, section 5).
enum WebSocketFrame {
  enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  /// Returns a masked frame with a whole message, compressed if there is a deflater.
  static func message(_ message: WebSocketMessage, deflater: inout MessageDeflater?) -> [UInt8] {
    switch message {
    case .text(var text): text.withUTF8 { frame(.text, UnsafeRawBufferPointer($0), deflater: &deflater) }
    case .binary(let data): data.withUnsafeBytes { frame(.binary, $0, deflater: &deflater) }
    }
  }

  private static func frame(
    _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, deflater: inout MessageDeflater?
  ) -> [UInt8] {
    guard let compressed = deflater?.compress(payload) else { return frame(opcode, payload) }
    return compressed.withUnsafeBytes { frame(opcode, $0, isCompressed: true) }
  }

  /// Returns a close frame; the reason is cut at 123 bytes.
  static func close(_ code: WebSocketCloseCode?, reason: String = "", isMasked: Bool = true) -> [UInt8] {
    var payload: [UInt8] = []
    if let code {
      var text = reason
      while text.utf8.count > 123 { text.removeLast() }
      payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(text.utf8)
    }
    return isMasked ? control(.close, payload) : ofServer(.close, payload)
  }

  /// Returns a masked control frame; the payload has at most 125 bytes.
  static func control(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    payload.withUnsafeBytes { frame(opcode, $0) }
  }

  /// Returns a frame of a server, without a mask.
  static func ofServer(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    payload.withUnsafeBytes { frame(opcode, $0, key: nil) }
  }

  /// Returns a frame of a server with a whole message.
  static func ofServer(_ message: WebSocketMessage) -> [UInt8] {
    switch message {
    case .text(let text): ofServer(.text, Array(text.utf8))
    case .binary(let data): ofServer(.binary, Array(data))
    }
  }

  /// Returns opcode and payload of a client's frame that this type has made.
  static func unmasked(_ frame: [UInt8]) -> (opcode: Opcode, payload: [UInt8]) {
    let lengthBytes =
      switch frame[1] & 0x7F {
      case 126: 2
      case 127: 8
      default: 0
      }
    let key = frame[(2 + lengthBytes)...].prefix(4)
    let payload = frame[(6 + lengthBytes)...].enumerated().map { $1 ^ key[key.startIndex + ($0 & 3)] }
    return (Opcode(rawValue: frame[0] & 0x0F) ?? .continuation, payload)
  }

  /// Returns a frame; a client's key is unpredictable, so that a page cannot choose the bytes on the wire
  /// (section 10.3).
  private static func frame(
    _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool = false,
    key: UInt32? = WebSocketMaskingKeys.next()
  ) -> [UInt8] {
    let count = payload.count
    let mask: UInt8 = key == nil ? 0 : 0x80
    return [UInt8](unsafeUninitializedCapacity: count + 14) { buffer, initialized in
      buffer[0] = 0x80 | (isCompressed ? 0x40 : 0) | opcode.rawValue
      var end = 2
      let lengthBytes: Int
      switch count {
      case ..<126: (buffer[1], lengthBytes) = (mask | UInt8(count), 0)
      case ..<65_536: (buffer[1], lengthBytes) = (mask | 126, 2)
      default: (buffer[1], lengthBytes) = (mask | 127, 8)
      }
      for shift in (0..<lengthBytes).reversed() {
        buffer[end] = UInt8(truncatingIfNeeded: count >> (8 * shift))
        end += 1
      }
      let target = UnsafeMutableRawBufferPointer(buffer)
      if let key {
        target.storeBytes(of: key, toByteOffset: end, as: UInt32.self)
        end += 4
      }
      let wide = key.map { UInt64($0) << 32 | UInt64($0) } ?? 0
      var index = 0
      while index + 8 <= count {
        let word = payload.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        target.storeBytes(of: word ^ wide, toByteOffset: end + index, as: UInt64.self)
        index += 8
      }
      while index < count {
        buffer[end + index] = payload[index] ^ withUnsafeBytes(of: wide) { $0[index & 7] }
        index += 1
      }
      initialized = end + count
    }
  }
}

import Foundation

/// The frames that a client sends (RFC 6455, section 5).
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

  /// Returns a masked close frame; the reason is cut at 123 bytes.
  static func close(_ code: WebSocketCloseCode?, reason: String = "") -> [UInt8] {
    guard let code else { return control(.close, []) }
    var text = reason
    while text.utf8.count > 123 { text.removeLast() }
    return control(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(text.utf8))
  }

  /// Returns a masked control frame; the payload has at most 125 bytes.
  static func control(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    payload.withUnsafeBytes { frame(opcode, $0) }
  }

  private static func frame(
    _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool = false
  ) -> [UInt8] {
    let count = payload.count
    return [UInt8](unsafeUninitializedCapacity: count + 14) { buffer, initialized in
      buffer[0] = 0x80 | (isCompressed ? 0x40 : 0) | opcode.rawValue
      var end = 2
      let lengthBytes: Int
      switch count {
      case ..<126: (buffer[1], lengthBytes) = (0x80 | UInt8(count), 0)
      case ..<65_536: (buffer[1], lengthBytes) = (0x80 | 126, 2)
      default: (buffer[1], lengthBytes) = (0x80 | 127, 8)
      }
      for shift in (0..<lengthBytes).reversed() {
        buffer[end] = UInt8(truncatingIfNeeded: count >> (8 * shift))
        end += 1
      }
      let key = WebSocketMaskingKeys.next()
      let target = UnsafeMutableRawBufferPointer(buffer)
      target.storeBytes(of: key, toByteOffset: end, as: UInt32.self)
      end += 4
      let wide = UInt64(key) << 32 | UInt64(key)
      var index = 0
      while index + 8 <= count {
        let word = payload.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        target.storeBytes(of: word ^ wide, toByteOffset: end + index, as: UInt64.self)
        index += 8
      }
      while index < count {
        buffer[end + index] = payload[index] ^ target[end - 4 + (index & 3)]
        index += 1
      }
      initialized = end + count
    }
  }
}

import Foundation

extension Data {
  /// 1,048,576 bytes that do not repeat at a power of two.
  static let megabyte = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) })
}

package import Foundation

/// The SHA-256 hash of bytes that arrive in pieces (FIPS 180-4).
///
/// The package contains it because it has no dependencies. Downloads and recordings use it to recognize a
/// request without storing it, and the examples use it to check files.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes of an incomplete block.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  package init() {}

  /// Returns the hash of some bytes in hexadecimal digits.
  package static func hex(_ bytes: some Collection<UInt8>) -> String {
    var hash = SHA256()
    hash.add(bytes)
    return hash.finish()
  }

  /// Returns the hash of a file in hexadecimal digits.
  package static func hex(ofFile url: URL) throws -> String {
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    var hash = SHA256()
    while let data = try file.read(upToCount: 1 << 18), !data.isEmpty { hash.add(data) }
    return hash.finish()
  }

  /// Adds bytes.
  package mutating func add(_ bytes: some Collection<UInt8>) {
    count += UInt64(bytes.count)
    rest.append(contentsOf: bytes)
    let whole = rest.count & ~63
    rest.withUnsafeBytes { buffer in
      for start in stride(from: 0, to: whole, by: 64) {
        compress(UnsafeRawBufferPointer(rebasing: buffer[start..<start + 64]))
      }
    }
    rest.removeFirst(whole)
  }

  /// Ends the message, and returns the hash in hexadecimal digits.
  package mutating func finish() -> String {
    let bits = count * 8
    let zeros = (119 - rest.count) % 64
    add(
      [0x80] + [UInt8](repeating: 0, count: zeros)
        + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    return state.map { String(format: "%08x", $0) }.joined()
  }

  // Section 6.2.2.
  private mutating func compress(_ block: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { w in
      for t in 0..<16 {
        w[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * t, as: UInt32.self))
      }
      for t in 16..<64 {
        let (near, far) = (w[t - 2], w[t - 15])
        let s1 = near.rotated(17) ^ near.rotated(19) ^ near >> 10
        let s0 = far.rotated(7) ^ far.rotated(18) ^ far >> 3
        w[t] = s1 &+ w[t - 7] &+ s0 &+ w[t - 16]
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for t in 0..<64 {
        let first =
          h &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ (e & f ^ ~e & g) &+ Self.k[t] &+ w[t]
        let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ (a & b ^ a & c ^ b & c)
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
  private static let k: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

extension UInt32 {
  @inline(__always) fileprivate func rotated(_ count: UInt32) -> UInt32 {
    self &>> count | self &<< (32 &- count)
  }
}

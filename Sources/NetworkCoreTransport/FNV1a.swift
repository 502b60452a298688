/// The 64-bit FNV-1a hash, which is the same in every process, unlike `Hasher`'s.
enum FNV1a {
  /// Returns the hash of some bytes, continuing from the hash of the bytes before them.
  static func hash(_ bytes: some Sequence<UInt8>, after previous: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    bytes.reduce(previous) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

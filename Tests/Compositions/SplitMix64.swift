/// A generator of random numbers (Sebastiano Vigna's SplitMix64), which gives the same numbers for a seed.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns `true` once in `count` times on average.
  mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// Returns one of the cases.
  mutating func pick<Case: CaseIterable>(_ type: Case.Type = Case.self) -> Case {
    let all = Array(Case.allCases)
    return all[Int.random(in: all.indices, using: &self)]
  }
}

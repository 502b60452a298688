/// Counts requests by age: the current generation, the two before it, and older ones.
struct RequestAges {
  private(set) var old = 0
  private var young = (0, 0, 0)
  private var generation = 0

  /// Counts a request; returns its generation.
  mutating func add() -> Int {
    young.0 += 1
    return generation
  }

  mutating func remove(_ generation: Int) {
    switch self.generation - generation {
    case 0: young.0 -= 1
    case 1: young.1 -= 1
    case 2: young.2 -= 1
    default: old -= 1
    }
  }

  mutating func advance(to generation: Int) {
    for _ in 0..<min(3, max(0, generation - self.generation)) {
      old += young.2
      young = (0, young.0, young.1)
    }
    self.generation = max(generation, self.generation)
  }
}

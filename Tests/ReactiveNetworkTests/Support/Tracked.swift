import Locking

/// An object whose living instances are counted.
final class Tracked: Sendable {
  /// How many of one test's objects are alive.
  final class Count: Sendable {
    private let living = Lock(0)

    var value: Int { living.withLock { $0 } }
    func add(_ difference: Int) { living.withLock { $0 += difference } }
  }

  private let count: Count

  init(_ count: Count) {
    self.count = count
    count.add(1)
  }

  deinit { count.add(-1) }
}

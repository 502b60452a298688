import ReactiveNetworkLock

/// An object whose live instances are counted.
final class Tracked: Sendable {
  /// The number of live objects of one test.
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

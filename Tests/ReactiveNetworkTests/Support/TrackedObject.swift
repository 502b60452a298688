import ReactiveNetworkLock

/// An object whose live instances are counted.
final class TrackedObject: Sendable {
  /// The number of live objects of one test.
  final class LiveCount: Sendable {
    private let living = Lock(0)

    var value: Int { living.withLock { $0 } }
    func add(_ difference: Int) { living.withLock { $0 += difference } }
  }

  private let count: LiveCount

  init(_ count: LiveCount) {
    self.count = count
    count.add(1)
  }

  deinit { count.add(-1) }
}

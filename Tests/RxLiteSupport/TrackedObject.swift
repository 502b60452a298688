import ReactiveNetworkLock

/// Counts live instances, to detect leaks.
final class TrackedObject: Sendable {
  final class LiveCount: Sendable {
    fileprivate let living = Lock(0)
    var value: Int { living.withLock { $0 } }
  }

  private let liveCount: LiveCount
  let value: Int

  init(_ value: Int = 0, in liveCount: LiveCount) {
    self.liveCount = liveCount
    self.value = value
    liveCount.living.withLock { $0 += 1 }
  }

  deinit {
    liveCount.living.withLock { $0 -= 1 }
  }
}

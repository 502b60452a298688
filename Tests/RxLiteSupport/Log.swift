import ReactiveNetworkLock

/// Lines written from any thread, in order.
final class Log: Sendable {
  private let storage = Lock<[String]>([])

  var lines: [String] { storage.withLock { $0 } }

  func add(_ line: String) {
    storage.withLock { $0.append(line) }
  }
}

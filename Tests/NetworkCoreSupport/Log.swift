import ReactiveNetworkLock

/// Records events from any thread in order.
final class Log: Sendable {
  private let lines = Lock([String]())

  func callAsFunction(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock { $0 } }
}

import ReactiveNetworkLock

/// Lines in the order in which any threads added them.
final class Log: Sendable {
  private let lines = Lock([String]())

  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

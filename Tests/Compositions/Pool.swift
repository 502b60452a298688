import Dispatch
import ReactiveNetworkLock

/// Values of which each serves one user at a time.
final class Pool<Value: Sendable>: Sendable {
  let all: [Value]
  private let free: Lock<[Value]>
  private let count: DispatchSemaphore

  init(_ values: [Value]) {
    all = values
    free = Lock(values)
    count = DispatchSemaphore(value: 0)
    for _ in values { count.signal() }
  }

  /// Takes a value, which the caller must give back; blocks until there is one.
  func take() -> Value {
    count.wait()
    return free.withLock { $0.removeLast() }
  }

  func giveBack(_ value: Value) {
    free.withLock { $0.append(value) }
    count.signal()
  }
}

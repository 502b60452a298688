import Dispatch
import RxLite

/// An event that a test on real queues waits for; the limit is long, so that only a hang fails.
struct Arrival: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func arrive() {
    semaphore.signal()
  }

  func waits(for count: Int = 1) -> Bool {
    (0..<count).allSatisfy { _ in semaphore.wait(timeout: .now() + 60) == .success }
  }
}

/// A queue that can tell whether the current thread runs its work.
struct MarkedQueue: Sendable {
  let queue: DispatchQueue
  private let key = DispatchSpecificKey<Void>()

  init(_ label: String, attributes: DispatchQueue.Attributes = []) {
    queue = DispatchQueue(label: label, attributes: attributes)
    queue.setSpecific(key: key, value: ())
  }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

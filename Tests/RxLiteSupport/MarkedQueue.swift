import Dispatch

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

import Dispatch

/// Runs `body` on several threads, which start together as far as possible, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count {
    let queue = DispatchQueue(label: "test thread \(index)")
    queue.async(group: group) { body(index) }
  }
  group.wait()
}

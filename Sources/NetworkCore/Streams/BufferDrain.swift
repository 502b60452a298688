import Dispatch

/// Delivers the elements of a buffer on a queue, one at a time.
final class BufferDrain<Element: Sendable>: Sendable {
  /// Removes and returns the next element; after `nil`, calls its argument once when there is one.
  typealias Next = @Sendable (_ wakeUp: @escaping @Sendable () -> Void) -> Element?

  /// The number of elements to deliver before other work on the queue can run.
  private static var batch: Int { 32 }

  private let next: Next
  private let queue: DispatchQueue?
  private let deliver: @Sendable (Element) -> Bool

  /// Creates a drain.
  ///
  /// - Parameters:
  ///   - next: takes the elements from the buffer.
  ///   - queue: the queue; without one, the thread that fills the buffer also delivers.
  ///   - deliver: receives the elements; returns `false` for the last one.
  init(next: @escaping Next, on queue: DispatchQueue?, deliver: @escaping @Sendable (Element) -> Bool) {
    self.next = next
    self.queue = queue
    self.deliver = deliver
  }

  /// Starts the drain, which stays alive until it has delivered the end.
  func begin() {
    if let queue { queue.async { self.drain() } } else { drain() }
  }

  private func drain() {
    let wakeUp: @Sendable () -> Void = { self.begin() }
    for _ in 0..<Self.batch {
      guard let element = next(wakeUp), deliver(element) else { return }
    }
    begin()
  }
}

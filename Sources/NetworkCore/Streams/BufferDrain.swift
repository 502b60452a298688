import Dispatch

/// Delivers the elements of a buffer, one at a time.
final class BufferDrain<Element: Sendable>: Sendable {
  /// Removes and returns the next element; after `nil`, calls its argument once when there is one.
  typealias Next = @Sendable (_ wakeUp: @escaping @Sendable () -> Void) -> Element?

  /// Runs the given work, on another thread or at once.
  typealias Run = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

  /// The number of elements to deliver before other work on a queue can run.
  private static var batch: Int { 32 }

  private let next: Next
  private let run: Run
  private let deliver: @Sendable (Element) -> Bool

  /// Creates a drain.
  ///
  /// - Parameters:
  ///   - next: takes the elements from the buffer.
  ///   - run: runs the deliveries in the order of its calls.
  ///   - deliver: receives the elements; returns `false` for the last one.
  init(next: @escaping Next, run: @escaping Run, deliver: @escaping @Sendable (Element) -> Bool) {
    self.next = next
    self.run = run
    self.deliver = deliver
  }

  /// Creates a drain that delivers on a queue; without one, the thread that fills the buffer also delivers.
  convenience init(
    next: @escaping Next, on queue: DispatchQueue?, deliver: @escaping @Sendable (Element) -> Bool
  ) {
    self.init(next: next, run: { queue?.async(execute: $0) ?? $0() }, deliver: deliver)
  }

  /// Starts the drain, which stays alive until it has delivered the end.
  func begin() {
    run { self.drain() }
  }

  private func drain() {
    let wakeUp: @Sendable () -> Void = { self.begin() }
    for _ in 0..<Self.batch {
      guard let element = next(wakeUp), deliver(element) else { return }
    }
    begin()
  }
}

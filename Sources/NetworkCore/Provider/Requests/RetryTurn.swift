/// Lets one retry at a time start, so that retries without a delay do not grow the stack.
///
/// A retry is named by the number of its reply.
struct RetryTurn {
  private var isTaken = false
  private var queued: Int?

  /// Begins a retry, and returns its number.
  ///
  /// Returns `nil` if another attempt is just starting, perhaps further up the stack. The `next()` of that attempt
  /// then returns this number.
  mutating func begin(_ replyNumber: Int) -> Int? {
    guard !isTaken else {
      queued = replyNumber
      return nil
    }
    isTaken = true
    return replyNumber
  }

  /// Called when an attempt has started; returns the number of a retry that was queued meanwhile.
  mutating func next() -> Int? {
    defer { queued = nil }
    isTaken = queued != nil
    return queued
  }
}

import Dispatch

extension DispatchQueue {
  /// Returns when all work enqueued so far has run.
  func waitUntilDrained() async {
    await withCheckedContinuation { done in
      async(flags: .barrier) { done.resume() }
    }
  }
}

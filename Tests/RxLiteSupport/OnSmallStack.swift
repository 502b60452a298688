import Dispatch
import Foundation

/// A number of successive synchronous rounds, each of which must leave the stack as it found it: 27 bytes kept
/// by each would not fit into the stack of `onSmallStack`.
let manyRounds = 10_000

/// Runs a closure on a thread whose stack has 256 KiB, so that few rounds show whether the stack grows.
func onSmallStack(_ body: @escaping () -> Void) {
  nonisolated(unsafe) let body = body
  let isOver = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    isOver.signal()
  }
  thread.stackSize = 256 << 10
  thread.start()
  isOver.wait()
}

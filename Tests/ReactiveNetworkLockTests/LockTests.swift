import Dispatch
import ReactiveNetworkLock
import Testing

@Suite("Lock")
struct LockTests {
  @Test("no increment of several threads is lost")
  func exclusion() {
    let count = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { count.withLock { $0 += 1 } }
    }
    #expect(count.withLock { $0 } == 80_000)
  }

  @Test("an error of the closure reaches the caller, and the lock is free again")
  func errors() {
    struct Refused: Error, Equatable {}
    let value = Lock("before")
    #expect(throws: Refused()) { try value.withLock { _ in throw Refused() } }
    value.withLock { $0 = "after" }
    #expect(value.withLock { $0 } == "after")
  }

  @Test("the value is released with the lock")
  func lifetime() {
    final class Tracked {}
    weak var tracked: Tracked?
    do {
      let lock = Lock(Tracked())
      tracked = lock.withLock { $0 }
      #expect(tracked != nil)
    }
    #expect(tracked == nil)
  }
}

import Dispatch
import ReactiveNetworkLock
import Testing

@Suite("Outbox")
struct OutboxTests {
  /// Adds an item, and delivers what this thread has to deliver.
  private func send(
    _ item: Int, to outbox: borrowing Lock<Outbox<Int>>, deliver: (Int) -> Void
  ) {
    var next = outbox.withLock { outbox in
      outbox.append(item)
      return outbox.start()
    }
    while let item = next {
      deliver(item)
      next = outbox.withLock { $0.next() }
    }
  }

  @Test("items leave in the order in which they were added")
  func order() {
    var outbox = Outbox<Int>()
    for item in 1...5 { outbox.append(item) }
    #expect(outbox.count == 5)
    #expect(outbox.start() == 1)
    outbox.append(6)
    #expect((2...6).allSatisfy { $0 == outbox.next() })
    #expect(outbox.next() == nil)
    #expect(outbox.count == 0)
  }

  @Test("only one caller delivers, until next() has returned nil")
  func turn() {
    var outbox = Outbox<Int>()
    #expect(outbox.start() == nil)
    #expect(!outbox.isDelivering)
    outbox.append(1)
    #expect(outbox.start() == 1)
    outbox.append(2)
    #expect(outbox.start() == nil)
    #expect(outbox.isDelivering)
    #expect(outbox.next() == 2)
    #expect(outbox.next() == nil)
    #expect(!outbox.isDelivering)
    outbox.append(3)
    #expect(outbox.start() == 3)
  }

  @Test("an item that is sent follows those that were added before")
  func sent() {
    var outbox = Outbox<Int>()
    #expect(outbox.send(1) == 1)
    #expect(outbox.isDelivering)
    #expect(outbox.send(2) == nil)
    #expect(outbox.next() == 2)
    #expect(outbox.next() == nil)
    outbox.append(3)
    #expect(outbox.send(4) == 3)
    #expect(outbox.next() == 4)
    #expect(outbox.next() == nil)
    #expect(!outbox.isDelivering)
  }

  @Test("an item that is added inside a delivery is delivered after it")
  func reentrant() {
    let outbox = Lock(Outbox<Int>())
    var log: [String] = []
    send(1, to: outbox) { item in
      log.append("begin \(item)")
      if item < 3 { send(item + 1, to: outbox) { log.append("nested \($0)") } }
      log.append("end \(item)")
    }
    #expect(log == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
  }

  @Test("threads that send at once lose nothing, and no two deliveries overlap")
  func threads() {
    let outbox = Lock(Outbox<Int>())
    let active = Lock(0)
    let overlaps = Lock(0)
    let sum = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for item in 1...5_000 {
        send(item, to: outbox) { item in
          let others = active.withLock { active in
            active += 1
            return active - 1
          }
          if others > 0 { overlaps.withLock { $0 += 1 } }
          sum.withLock { $0 += item }
          active.withLock { $0 -= 1 }
        }
      }
    }
    #expect(overlaps.withLock { $0 } == 0)
    #expect(sum.withLock { $0 } == 8 * 5_000 * 5_001 / 2)
    #expect(outbox.withLock { !$0.isDelivering && $0.count == 0 })
  }

  @Test("a delivered item is not kept")
  func lifetime() {
    final class Tracked {}
    var outbox = Outbox<Tracked>()
    weak var alone: Tracked?
    weak var second: Tracked?
    do {
      let items = [Tracked(), Tracked()]
      (alone, second) = (items[0], items[1])
      for item in items { outbox.append(item) }
    }
    #expect(alone != nil)
    _ = outbox.start()
    #expect(alone == nil)
    #expect(second != nil)
    _ = outbox.next()
    #expect(second == nil)
  }
}

import Foundation
import NetworkCore
import Testing

@Suite("The delay scheduler whose time a test advances")
struct ManualDelaySchedulerTests {
  private let time = ManualDelayScheduler()
  private let log = Log()

  private func schedule(after seconds: TimeInterval, _ name: String) {
    _ = time.schedule(after: seconds) { [log] in log(name) }
  }

  @Test("actions that become due at the same time run in the order in which they were added")
  func order() {
    for name in ["a", "b", "c"] { schedule(after: 5, name) }
    time.advance(by: 2)
    for name in ["d", "e"] { schedule(after: 3, name) }
    #expect(log.all.isEmpty)
    time.advance(by: 3)
    #expect(log.all == ["a", "b", "c", "d", "e"])
  }

  @Test("the time never goes back, also if an action advances it")
  func nested() {
    _ = time.schedule(after: 1) { [time] in time.advance(by: 10) }
    schedule(after: 4, "a")
    time.advance(by: 2)
    #expect(log.all == ["a"])
    #expect(time.now == Date(timeIntervalSince1970: 11))
    time.advance(by: -5)
    #expect(time.now == Date(timeIntervalSince1970: 11))
  }

  @Test(
    "an action without a delay waits for the next advance", arguments: [0, -1, .nan] as [TimeInterval])
  func withoutDelay(seconds: TimeInterval) {
    schedule(after: seconds, "a")
    #expect(log.all.isEmpty)
    #expect(time.pendingCount == 1)
    time.advance(by: 0)
    #expect(log.all == ["a"])
    #expect(time.now == Date(timeIntervalSince1970: 0))
  }
}

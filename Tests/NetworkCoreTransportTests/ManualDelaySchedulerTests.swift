import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The delay scheduler whose time a test advances")
struct ManualDelaySchedulerTests {
  private let time = ManualDelayScheduler()
  private let log = Log()

  private func schedule(after delay: Duration, _ name: String) {
    _ = time.schedule(after: delay) { [log] in log(name) }
  }

  @Test("actions that become due at the same time run in the order in which they were added")
  func order() {
    for name in ["a", "b", "c"] { schedule(after: .seconds(5), name) }
    time.advance(by: .seconds(2))
    for name in ["d", "e"] { schedule(after: .seconds(3), name) }
    #expect(log.all.isEmpty)
    time.advance(by: .seconds(3))
    #expect(log.all == ["a", "b", "c", "d", "e"])
  }

  @Test("the time never goes back, also if an action advances it")
  func nested() {
    _ = time.schedule(after: .seconds(1)) { [time] in time.advance(by: .seconds(10)) }
    schedule(after: .seconds(4), "a")
    time.advance(by: .seconds(2))
    #expect(log.all == ["a"])
    #expect(time.now == Date(timeIntervalSince1970: 11))
    time.advance(by: .seconds(-5))
    #expect(time.now == Date(timeIntervalSince1970: 11))
  }

  @Test("the uptime is the time that was added, and the date follows it exactly")
  func uptime() {
    #expect(time.uptime == .zero)
    for _ in 0..<3 { time.advance(by: .milliseconds(100)) }
    #expect(time.uptime == .milliseconds(300))
    #expect(time.now == Date(timeIntervalSince1970: 0.3))
  }

  @Test(
    "an action without a delay waits for the next advance", arguments: [Duration.zero, .seconds(-1)])
  func withoutDelay(delay: Duration) {
    schedule(after: delay, "a")
    #expect(log.all.isEmpty)
    #expect(time.pendingCount == 1)
    time.advance(by: .zero)
    #expect(log.all == ["a"])
    #expect(time.now == Date(timeIntervalSince1970: 0))
  }
}

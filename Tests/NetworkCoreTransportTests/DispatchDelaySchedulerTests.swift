import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("The delay scheduler of Dispatch", .timeLimit(.minutes(5)))
struct DispatchDelaySchedulerTests {
  private let scheduler = DispatchDelayScheduler()

  private struct WeakReference {
    weak var object: AnyObject?
  }

  @Test("a cancelled action leaves nothing until its time")
  func cancelled() async {
    let tokens = (0..<100).map { _ in
      let token = scheduler.schedule(after: .seconds(3_600)) {}
      token.cancel()
      return WeakReference(object: token as AnyObject)
    }
    #expect(await suspendUntil { tokens.allSatisfy { $0.object == nil } })
  }

  @Test("an action that is not cancelled is kept, runs once after its time, and is released")
  func runs() async {
    let count = Lock(0)
    let token = {
      WeakReference(
        object: scheduler.schedule(after: .milliseconds(10)) { count.withLock { $0 += 1 } } as AnyObject)
    }()
    #expect(await suspendUntil { token.object == nil })
    #expect(count.withLock { $0 } == 1)
  }

  @Test("negative delays are none, and the longest one never ends")
  func unusualDelays() async {
    let count = Lock(0)
    let never = scheduler.schedule(after: .seconds(Int64.max)) { count.withLock { $0 += 100 } }
    for delay in [Duration.zero, .seconds(-1), .seconds(Int64.min)] {
      _ = scheduler.schedule(after: delay) { count.withLock { $0 += 1 } }
    }
    #expect(await suspendUntil { count.withLock { $0 } == 3 })
    never.cancel()
    #expect(never.isCancelled)
  }
}

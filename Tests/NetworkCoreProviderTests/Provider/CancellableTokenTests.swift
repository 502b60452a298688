import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("CancellableToken")
struct CancellableTokenTests {
  @Test("runs its action only at the first cancel, and then releases it")
  func once() {
    final class TrackedObject: Sendable {}
    weak var canary: TrackedObject?
    let log = Log()
    let token: CancellableToken
    do {
      let captured = TrackedObject()
      canary = captured
      token = CancellableToken { withExtendedLifetime(captured) { log("cancel") } }
    }
    #expect(!token.isCancelled)
    #expect(token.debugDescription == "not cancelled")
    #expect(canary != nil)
    token.cancel()
    token.cancel()
    #expect(log.all == ["cancel"])
    #expect(token.isCancelled)
    #expect(token.debugDescription == "cancelled")
    #expect(canary == nil)
  }
}

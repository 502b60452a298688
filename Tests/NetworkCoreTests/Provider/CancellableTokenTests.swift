import NetworkCore
import Testing

@Suite("CancellableToken")
struct CancellableTokenTests {
  @Test("runs its action only at the first cancel, and then releases it")
  func once() {
    final class Canary: Sendable {}
    weak var canary: Canary?
    let log = Log()
    let token: CancellableToken
    do {
      let captured = Canary()
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

import NetworkCore
import Testing

@Suite("Pausing transfers")
struct TransferPauseStateTests {
  private final class Paused: Transfer {
    var isCancelled: Bool { false }
    func cancel() {}
    func pause() {}
    func resume() {}
  }

  private let first = Paused()
  private let second = Paused()

  @Test("a transfer that arrives after the next one has begun is ignored")
  func late() {
    var pauseState = TransferPauseState()
    let numbers = (pauseState.nextTransfer(), pauseState.nextTransfer())
    #expect(pauseState.hold(second, number: numbers.1).map(ObjectIdentifier.init) == nil)
    #expect(pauseState.hold(first, number: numbers.0).map(ObjectIdentifier.init) == nil)
    pauseState.mustPause = true
    #expect(pauseState.begin()?.transfer === second)
  }

  @Test("a transfer that arrives twice, with its head and as a token, stays paused")
  func twice() {
    var pauseState = TransferPauseState()
    let number = pauseState.nextTransfer()
    #expect(pauseState.hold(first, number: number).map(ObjectIdentifier.init) == nil)
    pauseState.mustPause = true
    #expect(pauseState.begin()?.pauses == true)
    #expect(pauseState.done().map(\.pauses) == nil)
    #expect(pauseState.hold(first, number: number).map(ObjectIdentifier.init) == nil)
    #expect(pauseState.begin().map(\.pauses) == nil)
  }

  @Test("the next transfer is paused, too")
  func next() {
    var pauseState = TransferPauseState()
    pauseState.mustPause = true
    for transfer in [first, second] {
      let number = pauseState.nextTransfer()
      _ = pauseState.hold(transfer, number: number)
      let action = pauseState.begin()
      #expect(action?.transfer === transfer)
      #expect(action?.pauses == true)
      #expect(pauseState.done().map(\.pauses) == nil)
    }
  }
}

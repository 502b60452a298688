import NetworkCore
import Testing

@Suite("Pausing transfers")
struct TransferPauseStateTests {
  private final class InertTransfer: Transfer {
    var isCancelled: Bool { false }
    func cancel() {}
    func pause() {}
    func resume() {}
  }

  private struct InertToken: Cancellable {
    var isCancelled: Bool { false }
    func cancel() {}
  }

  private let first = InertTransfer()
  private let second = InertTransfer()

  @Test("a transfer that arrives after the next one has begun is ignored")
  func late() {
    var pauseState = TransferPauseState()
    let numbers = (pauseState.nextTransfer(), pauseState.nextTransfer())
    #expect(pauseState.store(second, number: numbers.1).map(ObjectIdentifier.init) == nil)
    #expect(pauseState.store(first, number: numbers.0).map(ObjectIdentifier.init) == nil)
    pauseState.mustPause = true
    #expect(pauseState.begin()?.transfer === second)
  }

  @Test("a transfer that arrives twice, with its head and as a token, stays paused")
  func twice() {
    var pauseState = TransferPauseState()
    let number = pauseState.nextTransfer()
    #expect(pauseState.store(first, number: number).map(ObjectIdentifier.init) == nil)
    pauseState.mustPause = true
    #expect(pauseState.begin()?.pauses == true)
    #expect(pauseState.done().map(\.pauses) == nil)
    #expect(pauseState.store(first, number: number).map(ObjectIdentifier.init) == nil)
    #expect(pauseState.begin().map(\.pauses) == nil)
  }

  @Test("a token of a layer for a transfer that came with its head and is paused can resume it")
  func layer() {
    var pauseState = TransferPauseState()
    let number = pauseState.nextTransfer()
    _ = pauseState.store(first, number: number)
    pauseState.mustPause = true
    #expect(pauseState.begin()?.pauses == true)
    #expect(pauseState.done().map(\.pauses) == nil)
    _ = pauseState.store(second, number: number)
    pauseState.mustPause = false
    let action = pauseState.begin()
    #expect(action?.transfer === second)
    #expect(action?.pauses == false)
  }

  @Test("a token that cannot pause replaces the transfer of the number before, but not that of its own head")
  func plain() {
    var pauseState = TransferPauseState()
    let number = pauseState.nextTransfer()
    _ = pauseState.store(first, number: number)
    pauseState.mustPause = true
    #expect(pauseState.begin()?.pauses == true)
    #expect(pauseState.done().map(\.pauses) == nil)
    #expect(pauseState.store(InertToken(), number: number).map(ObjectIdentifier.init) == nil)
    pauseState.mustPause = false
    let action = pauseState.begin()
    #expect(action?.transfer === first)
    #expect(action?.pauses == false)
    #expect(pauseState.done().map(\.pauses) == nil)
    let next = pauseState.nextTransfer()
    let spent = pauseState.store(InertToken(), number: next)
    #expect(spent === first)
  }

  @Test("of two calls that overlap, the last one is repeated once when both have returned")
  func overlapping() {
    var pauseState = TransferPauseState()
    let number = pauseState.nextTransfer()
    _ = pauseState.store(first, number: number)
    pauseState.mustPause = true
    let pause = pauseState.begin()
    #expect(pause?.pauses == true)
    pauseState.mustPause = false
    let resume = pauseState.begin()
    #expect(resume?.pauses == false)
    let afterFirst = pauseState.done()
    #expect(afterFirst.map(\.pauses) == nil)
    let afterSecond = pauseState.done()
    #expect(afterSecond?.pauses == false)
    let afterThird = pauseState.done()
    #expect(afterThird.map(\.pauses) == nil)
  }

  @Test("the next transfer is paused, too")
  func next() {
    var pauseState = TransferPauseState()
    pauseState.mustPause = true
    for transfer in [first, second] {
      let number = pauseState.nextTransfer()
      _ = pauseState.store(transfer, number: number)
      let action = pauseState.begin()
      #expect(action?.transfer === transfer)
      #expect(action?.pauses == true)
      #expect(pauseState.done().map(\.pauses) == nil)
    }
  }
}

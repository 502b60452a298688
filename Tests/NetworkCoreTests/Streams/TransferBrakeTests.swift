import NetworkCore
import Testing

@Suite("Pausing transfers")
struct TransferBrakeTests {
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
    var brake = TransferBrake()
    let numbers = (brake.nextTransfer(), brake.nextTransfer())
    #expect(brake.hold(second, number: numbers.1).map(ObjectIdentifier.init) == nil)
    #expect(brake.hold(first, number: numbers.0).map(ObjectIdentifier.init) == nil)
    brake.mustPause = true
    #expect(brake.begin()?.transfer === second)
  }

  @Test("a transfer that arrives twice, with its head and as a token, stays paused")
  func twice() {
    var brake = TransferBrake()
    let number = brake.nextTransfer()
    #expect(brake.hold(first, number: number).map(ObjectIdentifier.init) == nil)
    brake.mustPause = true
    #expect(brake.begin()?.pauses == true)
    #expect(brake.done().map(\.pauses) == nil)
    #expect(brake.hold(first, number: number).map(ObjectIdentifier.init) == nil)
    #expect(brake.begin().map(\.pauses) == nil)
  }

  @Test("the next transfer is paused, too")
  func next() {
    var brake = TransferBrake()
    brake.mustPause = true
    for transfer in [first, second] {
      let number = brake.nextTransfer()
      _ = brake.hold(transfer, number: number)
      let action = brake.begin()
      #expect(action?.transfer === transfer)
      #expect(action?.pauses == true)
      #expect(brake.done().map(\.pauses) == nil)
    }
  }
}

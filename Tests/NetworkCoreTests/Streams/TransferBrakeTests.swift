import NetworkCore
import Testing

@Suite("Which transfer a stream pauses")
struct TransferBrakeTests {
  private final class Paused: Transfer {
    var isCancelled: Bool { false }
    func cancel() {}
    func pause() {}
    func resume() {}
  }

  private let first = Paused()
  private let second = Paused()

  @Test("one that its thread brings after the next one has begun is not taken")
  func late() {
    var brake = TransferBrake()
    let numbers = (brake.nextTransfer(), brake.nextTransfer())
    #expect(brake.hold(second, number: numbers.1).map(ObjectIdentifier.init) == nil)
    #expect(brake.hold(first, number: numbers.0).map(ObjectIdentifier.init) == nil)
    brake.mustPause = true
    #expect(brake.begin()?.transfer === second)
  }

  @Test("one that comes once more, with its head and as a token, stays paused")
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

  @Test("the one after it is told anew")
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

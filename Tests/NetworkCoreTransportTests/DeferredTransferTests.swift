import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Transfers that begin later")
struct DeferredTransferTests {
  private let time = ManualDelayScheduler()
  private let recorder = TransferRecorder()

  @Test("a transfer begins once, and its wait is cancelled, also if its token is stored afterwards")
  func begin() {
    let deferred = DeferredTransfer(time, recorder.record)
    let waits = (0..<2).map { _ in CancellableToken {} }
    var beginnings = 0
    deferred.store(waits[0])
    #expect(!waits[0].isCancelled)
    for _ in 0..<2 { deferred.begin { _ in beginnings += 1 } }
    #expect(beginnings == 1)
    #expect(waits[0].isCancelled)
    deferred.store(waits[1])
    #expect(waits[1].isCancelled)
    deferred.refuse(.queueFull(maxWaiting: 1))
    time.advance(by: .seconds(1))
    #expect(!recorder.events.isOver)
  }

  @Test("a refusal is reported by the scheduler, once, and nothing begins afterwards")
  func refusal() {
    let deferred = DeferredTransfer(time, recorder.record)
    var beginnings = 0
    for limit in 1...2 { deferred.refuse(.queueFull(maxWaiting: limit)) }
    deferred.begin { _ in beginnings += 1 }
    #expect(!recorder.events.isOver)
    time.advance(by: .zero)
    #expect(recorder.events.error == .queueFull(maxWaiting: 1))
    #expect(beginnings == 0)
  }
}

import NetworkCore
import Testing

@Suite("Waits on the thread of a transport")
struct TransportThreadTests {
  @Test("a report within a report leaves the thread marked, and the end of the outer one does not")
  func nested() throws {
    var waits = 0
    TransportThread.run {
      TransportThread.run {}
      #expect(throws: WaitingError.wouldDeadlock) { try TransportThread.wait {} }
    }
    try TransportThread.wait { waits += 1 }
    #expect(waits == 1)
  }
}

import Dispatch
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The queue of callbacks", .timeLimit(.minutes(5)))
struct CallbackQueueTests {
  private let transport = ScriptedTransport()
  private let log = Log()
  private let key = DispatchSpecificKey<String>()

  private func queue(_ name: String) -> DispatchQueue {
    let queue = DispatchQueue(label: name)
    queue.setSpecific(key: key, value: name)
    return queue
  }

  private func request(_ provider: NetworkProvider<GitHub>, on queue: DispatchQueue? = nil) {
    let (log, key) = (log, key)
    provider.request(.zen, callbackQueue: queue) { _ in log(DispatchQueue.getSpecific(key: key) ?? "none") }
  }

  @Test("without a queue, callbacks run directly on the thread on which the transport reports")
  func transportThread() {
    request(NetworkProvider(transport: transport))
    transport.transfers.first?.respond()
    #expect(log.all == ["none"])
  }

  @Test("callbacks run on the provider's queue")
  func providerQueue() async {
    let queue = queue("provider")
    request(NetworkProvider(callbackQueue: queue, transport: transport))
    transport.transfers.first?.respond()
    await queue.waitUntilDrained()
    #expect(log.all == ["provider"])
  }

  @Test("the request's queue takes precedence over the provider's")
  func requestQueue() async {
    let (own, other) = (queue("request"), queue("provider"))
    request(NetworkProvider(callbackQueue: other, transport: transport), on: own)
    transport.transfers.first?.respond()
    await own.waitUntilDrained()
    await other.waitUntilDrained()
    #expect(log.all == ["request"])
  }

  @Test("callbacks of a stub run on the given queue, too")
  func stub() async {
    let queue = queue("provider")
    queue.suspend()
    request(NetworkProvider(stubClosure: MoyaProvider.immediatelyStub, callbackQueue: queue))
    #expect(log.all == [])
    queue.resume()
    await queue.waitUntilDrained()
    #expect(log.all == ["provider"])
  }
}

import Dispatch
import NetworkCore
import Testing

@Suite("Where callbacks run", .timeLimit(.minutes(5)))
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

  @Test("on the thread on which the transport reports, without a further hop, unless a queue is given")
  func transportThread() {
    request(NetworkProvider(transport: transport))
    transport.transfers.first?.answer()
    #expect(log.all == ["none"])
  }

  @Test("on the provider's queue")
  func providerQueue() async {
    let queue = queue("provider")
    request(NetworkProvider(callbackQueue: queue, transport: transport))
    transport.transfers.first?.answer()
    await queue.drained()
    #expect(log.all == ["provider"])
  }

  @Test("on the request's queue rather than the provider's")
  func requestQueue() async {
    let (own, other) = (queue("request"), queue("provider"))
    request(NetworkProvider(callbackQueue: other, transport: transport), on: own)
    transport.transfers.first?.answer()
    await own.drained()
    await other.drained()
    #expect(log.all == ["request"])
  }

  @Test("a stub too, on the queue it is given")
  func stub() async {
    let queue = queue("provider")
    queue.suspend()
    request(NetworkProvider(stubClosure: MoyaProvider.immediatelyStub, callbackQueue: queue))
    #expect(log.all == [])
    queue.resume()
    await queue.drained()
    #expect(log.all == ["provider"])
  }
}

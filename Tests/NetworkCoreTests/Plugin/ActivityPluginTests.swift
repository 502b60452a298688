import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("NetworkActivityPlugin and ProgressIndicatorPlugin")
struct ActivityPluginTests {
  private let transport = ScriptedTransport()
  private let log = Log()

  private var activity: NetworkActivityPlugin {
    NetworkActivityPlugin { [log] change, target in log("\(change) \(target.path)") }
  }

  private var indicator: ProgressIndicatorPlugin {
    ProgressIndicatorPlugin(show: { [log] in log("show") }, hide: { [log] in log("hide") })
  }

  @Test("each request that begins also ends: success, failure, cancel")
  func balanced() {
    let provider = NetworkProvider<GitHub>(transport: transport, plugins: [activity])
    for _ in 0..<3 { provider.request(.zen) { _ in } }
    #expect(log.all == ["began /zen", "began /zen", "began /zen"])
    transport.transfers[0].respond()
    transport.transfers[1].send(.finished(.timedOut(after: .seconds(1))))
    provider.request(.zen) { _ in }.cancel()
    transport.transfers[2].respond()
    #expect(log.all.suffix(5) == ["ended /zen", "ended /zen", "began /zen", "ended /zen", "ended /zen"])
  }

  @Test("a request that is not sent neither begins nor ends")
  func unsent() {
    NetworkProvider<GitHub>(
      requestClosure: { _, done in done(.failure(.requestMapping("x"))) }, transport: transport,
      plugins: [activity, indicator]
    ).request(.zen) { _ in }
    #expect(log.all.isEmpty)
  }

  @Test("the indicator is shown at the first request and hidden after the last")
  func indicatorEdges() {
    let provider = NetworkProvider<GitHub>(transport: transport, plugins: [indicator])
    provider.request(.zen) { _ in }
    provider.request(.zen) { _ in }
    #expect(log.all == ["show"])
    transport.transfers[0].respond()
    #expect(log.all == ["show"])
    transport.transfers[1].respond()
    #expect(log.all == ["show", "hide"])
    provider.request(.zen) { _ in }
    transport.transfers[2].respond()
    #expect(log.all == ["show", "hide", "show", "hide"])
  }

  @Test("a request that `show` makes is counted, and the indicator is not shown again")
  func reentrant() {
    final class ReentrantAction: Sendable {
      let action = Lock<@Sendable () -> Void>({})
    }
    let again = ReentrantAction()
    let log = log
    let plugin = ProgressIndicatorPlugin(
      show: {
        log("show")
        again.action.withLock { $0 }()
      }, hide: { log("hide") })
    let provider = NetworkProvider<GitHub>(transport: transport, plugins: [plugin])
    again.action.withLock { $0 = { provider.request(.zen) { _ in } } }
    provider.request(.zen) { _ in }
    again.action.withLock { $0 = {} }
    #expect(log.all == ["show"])
    for transfer in transport.transfers { transfer.respond() }
    #expect(log.all == ["show", "hide"])
  }

  @Test("a plugin that counts its requests ends at 0, whenever they are cancelled")
  func counting() {
    final class Counter: PluginType {
      let count = Lock(0)
      let cancel = Lock<(@Sendable () -> Void)?>(nil)
      func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        cancel.withLock { $0 }?()
        return request
      }
      func willSend(_ request: any RequestType, target: any TargetType) { count.withLock { $0 += 1 } }
      func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
        count.withLock { $0 -= 1 }
      }
    }
    let pending = Lock<[NetworkProvider<GitHub>.RequestResultClosure]>([])
    let counter = Counter()
    let provider = NetworkProvider<GitHub>(
      requestClosure: { _, done in pending.withLock { $0.append(done) } }, transport: transport,
      plugins: [counter])
    let request = URLRequest(url: URL(staticString: "http://h"))
    provider.request(.zen) { _ in }.cancel()
    let preparing = provider.request(.zen) { _ in }
    counter.cancel.withLock { $0 = { preparing.cancel() } }
    pending.withLock { $0.last }?(.success(request))
    counter.cancel.withLock { $0 = nil }
    let sent = provider.request(.zen) { _ in }
    pending.withLock { $0.last }?(.success(request))
    #expect(counter.count.withLock { $0 } == 1)
    sent.cancel()
    #expect(transport.transfers.count == 1)
    #expect(counter.count.withLock { $0 } == 0)
  }

  @Test("a request that is cancelled before it is sent has no didReceive")
  func cancelledBeforeSending() {
    let log = log
    let pending = Lock<[NetworkProvider<GitHub>.RequestResultClosure]>([])
    let provider = NetworkProvider<GitHub>(
      requestClosure: { _, done in pending.withLock { $0.append(done) } }, transport: transport,
      plugins: [
        indicator, activity, MetricsPlugin { _ in log("metrics") }, LoggingPlugin(name: "A", log: log),
      ])
    provider.request(.zen) { _ in }.cancel()
    #expect(log.all == ["A process cancelled"])
  }

  @Test("calls from many threads alternate, and the indicator ends hidden")
  func threads() {
    let plugin = indicator
    DispatchQueue.concurrentPerform(iterations: 2_000) { _ in
      plugin.willSend(EmptyRequest(), target: GitHub.zen)
      plugin.didReceive(.failure(.cancelled), target: GitHub.zen)
    }
    let calls = log.all
    #expect(calls.count.isMultiple(of: 2) && calls.count >= 2)
    for (index, call) in calls.enumerated() { #expect(call == (index.isMultiple(of: 2) ? "show" : "hide")) }
  }

  private struct EmptyRequest: RequestType {
    var request: URLRequest? { nil }
    var sessionHeaders: [String: String] { [:] }
  }
}

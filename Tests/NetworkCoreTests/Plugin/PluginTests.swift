import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Plugins")
struct PluginTests {
  private let transport = ScriptedTransport(defaultHeaders: ["User-Agent": "test"])
  private let outcome = CompletionRecorder()
  private let log = Log()

  private var plugins: [any PluginType] {
    [LoggingPlugin(name: "A", log: log), LoggingPlugin(name: "B", log: log)]
  }

  private let whole = [
    "A prepare", "B prepare", "A willSend AB", "B willSend AB", "A didReceive 200", "B didReceive 200",
    "A process 200", "B process 201",
  ]

  @Test("are called hook by hook, each with the result of the previous plugin")
  func order() {
    NetworkProvider<GitHub>(transport: transport, plugins: plugins).request(
      .zen, completion: outcome.completion)
    #expect(log.all == ["A prepare", "B prepare", "A willSend AB", "B willSend AB"])
    #expect(transport.transfers.first?.request.headers["Seen"] == "AB")
    transport.transfers.first?.respond()
    #expect(log.all == whole)
    #expect(outcome.summaries == ["202"])
  }

  @Test("see stubs as they see transfers")
  func stub() {
    NetworkProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: plugins)
      .request(.zen, completion: outcome.completion)
    #expect(log.all == whole)
  }

  @Test("have prepared and sent the request of a delayed stub when the call returns")
  func delayedStub() {
    let time = ManualDelayScheduler()
    NetworkProvider<GitHub>(stubClosure: MoyaProvider.delayedStub(1), plugins: plugins, scheduler: time)
      .request(.zen, completion: outcome.completion)
    #expect(log.all == ["A prepare", "B prepare", "A willSend AB", "B willSend AB"])
    time.advance(by: .seconds(1))
    #expect(log.all == whole)
  }

  @Test("receive only `process` for a request that cannot be built")
  func unbuildable() {
    NetworkProvider<GitHub>(
      requestClosure: { _, done in done(.failure(.requestMapping("x"))) }, transport: transport,
      plugins: plugins
    ).request(.zen, completion: outcome.completion)
    #expect(log.all == ["A process requestMapping", "B process requestMapping"])
    #expect(outcome.summaries == ["requestMapping"])
  }

  @Test("see the fields that the transport adds")
  func sessionHeaders() {
    defer { transport.finish() }
    struct SessionHeadersLogger: PluginType {
      let log: Log
      func willSend(_ request: any RequestType, target: any TargetType) { log("\(request.sessionHeaders)") }
    }
    NetworkProvider<GitHub>(transport: transport, plugins: [SessionHeadersLogger(log: log)]).request(.zen) {
      _ in
    }
    #expect(log.all == [#"["User-Agent": "test"]"#])
  }

  @Test("can turn a failure into a success and the reverse")
  func process() {
    struct ResultReverser: PluginType {
      func process(
        _ result: Result<Response, NetworkError>, target: any TargetType
      ) -> Result<Response, NetworkError> {
        switch result {
        case .success(let response): .failure(.statusCode(response))
        case .failure: .success(Response(statusCode: 299, data: Data()))
        }
      }
    }
    let provider = NetworkProvider<GitHub>(transport: transport, plugins: [ResultReverser()])
    provider.request(.zen, completion: outcome.completion)
    provider.request(.zen, completion: outcome.completion)
    transport.transfers.first?.respond()
    transport.transfers.last?.send(.finished(.timedOut(after: .seconds(1))))
    #expect(outcome.summaries == ["bad 200", "299"])
  }
}

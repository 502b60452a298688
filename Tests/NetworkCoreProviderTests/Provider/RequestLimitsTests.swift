import Foundation
import LoopbackServer
import class MoyaCompatibility.Adapter
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Limits of a request and of its session", .timeLimit(.minutes(5)))
struct RequestLimitsTests {
  /// The part of a provider that sets the 60 s and the policy that every `URLRequest` has by default.
  enum LimitsSource: CaseIterable {
    case target
    case interceptor
    case plugin
  }

  private struct LimitsTarget: TargetType {
    let baseURL: URL
    let path = "/"
    var timeout: Duration?
    var cachePolicy: URLRequest.CachePolicy?
  }

  private struct LimitsPlugin: PluginType {
    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest { request.withStandardLimits }
  }

  private func provider(_ session: Session, _ source: LimitsSource?) -> NetworkProvider<LimitsTarget> {
    let adapter = Adapter { request, _, completion in completion(.success(request.withStandardLimits)) }
    return NetworkProvider(
      session: session, plugins: source == .plugin ? [LimitsPlugin()] : [],
      interceptors: source == .interceptor ? [adapter] : [])
  }

  private func start(_ provider: NetworkProvider<LimitsTarget>, _ target: LimitsTarget) -> CompletionStream {
    let ending = CompletionStream()
    provider.request(target, completion: ending.completion)
    return ending
  }

  @Test(
    "an explicit limit of 60 s takes precedence over the session's limit", arguments: LimitsSource.allCases)
  func timeout(source: LimitsSource) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("ok").held(until: gate) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 0.2
    let session = Session(configuration: configuration)
    let target = LimitsTarget(baseURL: server.baseURL, timeout: source == .target ? .seconds(60) : nil)
    let own = start(provider(session, source), target)
    // Started later: if its limit were the session's, it would have ended first.
    let other = await start(provider(session, nil), LimitsTarget(baseURL: server.baseURL)).next()
    #expect(other.summary == "\(TransferError.timedOut(after: .milliseconds(200)))")
    gate.open()
    #expect(await own.next().summary == "200")
  }

  @Test("an explicit limit of 60 s takes precedence in a request that is passed to the session itself")
  func transportRequest() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("ok").held(until: gate) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 0.2
    let session = Session(configuration: configuration)
    var changed = TransportRequest(url: server.origin)
    #expect(changed.idleTimeout == .seconds(60))
    changed.idleTimeout = .seconds(60)
    let own = [TransportRequest(url: server.origin, idleTimeout: .seconds(60)), changed].map {
      session.record($0)
    }
    #expect(
      await session.exchange(.init(url: server.origin)).error?.withoutProof
        == .timedOut(after: .milliseconds(200)))
    gate.open()
    for item in own { #expect(await item.recorder.waitForEnd().error == nil) }
  }

  @Test("an explicit protocol policy takes precedence over the session's", arguments: LimitsSource.allCases)
  func cachePolicy(source: LimitsSource) async throws {
    let server = try LoopbackServer { _ in .text("ok").header("Cache-Control", "no-store") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.requestCachePolicy = .returnCacheDataDontLoad
    configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let session = Session(configuration: configuration)
    let policy: URLRequest.CachePolicy? = source == .target ? .useProtocolCachePolicy : nil
    let own = start(provider(session, source), LimitsTarget(baseURL: server.baseURL, cachePolicy: policy))
    #expect(await own.next().summary == "200")
    let other = start(provider(session, nil), LimitsTarget(baseURL: server.baseURL))
    #expect(await other.next().summary == "\(TransferError.notStored(url: "\(server.origin)/"))")
    #expect(server.log.requestCount == 1)
  }

  @Test("plugins see the session's limits in a request without limits")
  func seen() async throws {
    struct LimitsLogger: PluginType {
      let log: Log
      func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        log("\(request.timeoutInterval) \(request.cachePolicy == .reloadIgnoringLocalCacheData)")
        return request
      }
    }
    let server = try LoopbackServer { _ in .text("ok") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 31
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    let log = Log()
    let provider = NetworkProvider<LimitsTarget>(
      session: Session(configuration: configuration), plugins: [LimitsLogger(log: log)])
    _ = await start(provider, LimitsTarget(baseURL: server.baseURL)).next()
    _ = await start(provider, LimitsTarget(baseURL: server.baseURL, timeout: .seconds(60))).next()
    #expect(log.all == ["31.0 true", "60.0 true"])
  }
}

extension URLRequest {
  fileprivate var withStandardLimits: URLRequest {
    var copy = self
    (copy.timeoutInterval, copy.cachePolicy) = (60, .useProtocolCachePolicy)
    return copy
  }
}

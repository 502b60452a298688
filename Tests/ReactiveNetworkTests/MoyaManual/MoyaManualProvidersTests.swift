import Dispatch
import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Providers in Moya's manual", .timeLimit(.minutes(5)))
struct MoyaManualProvidersTests {
  typealias MyTarget = ForgeAPI

  @Test("a request ends with a response or an error, in a closure")
  func request() async throws {
    let server = try LoopbackServer.forge()
    let provider = MoyaProvider<MyTarget>(endpointClosure: server.endpoint)
    let text = await withCheckedContinuation { done in
      provider.request(.zen) { result in
        switch result {
        case .success(let response): done.resume(returning: "\(response.statusCode)")
        case .failure(let error): done.resume(returning: "\(error)")
        }
      }
    }
    #expect(text == "200")
  }

  @Test("the return value of a request cancels the request")
  func cancel() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = MoyaProvider<MyTarget>(endpointClosure: server.endpoint)
    let notes = Log()
    let cancellable: any Cancellable = provider.request(.zen) { result in
      if case .failure(let error) = result, error.isCancelled { notes.add("cancelled") }
    }
    try await server.log(until: { $0.pending == 1 })
    cancellable.cancel()
    #expect(cancellable.isCancelled)
    #expect(notes.all == ["cancelled"])
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  // Moya cancels the request of a provider without other references; here the request continues.
  @Test("a provider without other references lives as long as its request")
  func unheld() async throws {
    let server = try LoopbackServer.forge()
    let result = await withCheckedContinuation { done in
      MoyaProvider<MyTarget>(endpointClosure: server.endpoint).request(.zen) { done.resume(returning: $0) }
    }
    #expect(try result.get().statusCode == 200)
  }

  @Test("the target's type is inferred from an endpoint closure")
  func inferred() throws {
    let endpointClosure = { @Sendable (target: MyTarget) -> Endpoint in
      let url = URL(target: target).absoluteString
      return Endpoint(
        url: url, sampleResponseClosure: { .networkResponse(200, target.sampleData) }, method: target.method,
        task: target.task)
    }
    let provider = MoyaProvider(endpointClosure: endpointClosure)
    #expect(provider.endpoint(.zen).url == "https://api.forge.example/zen")
  }

  @Test("a stub closure chooses for each target: the server, an immediate response, or a delayed one")
  func stubClosure() async throws {
    let server = try LoopbackServer { _ in .text("from the server") }
    let time = ManualDelayScheduler()
    let provider = MoyaProvider<MyTarget>(
      endpointClosure: server.endpoint,
      stubClosure: { (target: MyTarget) -> Moya.StubBehavior in
        switch target {
        case .zen: return .never
        case .userProfile: return .immediate
        default: return .delayed(seconds: 0.2)
        }
      }, scheduler: time)
    #expect(try await provider.result(of: .zen).get().mapString() == "from the server")
    let notes = Log()
    provider.request(.userProfile("ash")) { _ in notes.add("immediate") }
    #expect(notes.all == ["immediate"])
    provider.request(.branches("site", true)) { _ in notes.add("delayed") }
    time.advance(by: .milliseconds(100))
    #expect(notes.all == ["immediate"])
    time.advance(by: .milliseconds(100))
    #expect(notes.all == ["immediate", "delayed"])
    #expect(server.log.requests.count == 1)
  }

  @Test("a provider has the three stub behaviors as closures")
  func stubs() {
    let seconds = 0.2
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
    let provider = MoyaProvider<MyTarget>(
      stubClosure: MoyaProvider.delayedStub(seconds), scheduler: scheduler.asDelayScheduler())
    let answer = scheduler.start(created: 0, subscribed: 10, disposed: 100) {
      provider.rx.request(.zen).mapString().asObservable()
    }
    #expect(answer.events == [.next(12, "Well begun is half done."), .completed(12)])
    #expect(MoyaProvider<MyTarget>.neverStub(.zen) == .never)
    let never = MoyaProvider<MyTarget>(stubClosure: MoyaProvider.neverStub)
    #expect(never.stubClosure(.zen) == .never)
  }

  @Test("a closure and the built-in behavior both respond immediately")
  func immediate() {
    let providers = [
      MoyaProvider<MyTarget>(stubClosure: { (_: MyTarget) -> Moya.StubBehavior in return .immediate }),
      MoyaProvider<MyTarget>(stubClosure: MoyaProvider.immediatelyStub),
    ]
    let notes = Log()
    for provider in providers { provider.request(.zen) { notes.add("\((try? $0.get().statusCode) ?? 0)") } }
    #expect(notes.all == ["200", "200"])
  }

  @Test("requests go through a manager that is made like the default manager")
  func manager() async throws {
    func defaultAlamofireManager() -> Manager {
      let configuration = URLSessionConfiguration.default
      configuration.httpAdditionalHeaders = Manager.defaultHTTPHeaders

      // The provider starts a session's requests; since Alamofire 5 the initializer has an option for this.
      return Manager(configuration: configuration, startRequestsImmediately: false)
    }
    let server = try LoopbackServer.forge()
    for manager in [defaultAlamofireManager(), MoyaProvider<MyTarget>.defaultAlamofireManager()] {
      let provider = MoyaProvider<MyTarget>(endpointClosure: server.endpoint, manager: manager)
      #expect(provider.session === manager)
      _ = try await provider.result(of: .zen).get()
    }
    let languages = HTTPHeaders.default["Accept-Language"]
    #expect(server.log.requests.map { $0.headers["Accept-Language"] } == [languages, languages])
  }

  @Test("a provider with a manager has the plugins that it is given")
  func managerWithPlugins() async throws {
    let notes = Log()
    let provider = MoyaProvider<MyTarget>(
      stubClosure: MoyaProvider.immediatelyStub, manager: MoyaProvider<MyTarget>.defaultAlamofireManager(),
      plugins: [LoggingPlugin(notes: notes)])
    _ = try await provider.result(of: .zen).get()
    #expect(notes.all == ["willSend", "didReceive 200"])
  }

  @Test("a provider with a manager makes requests with its closure, and can share equal ones")
  func managerWithClosures() async throws {
    let provider = MoyaProvider<MyTarget>(
      requestClosure: { endpoint, done in
        do {
          var request = try endpoint.urlRequest()
          request.setValue("yes", forHTTPHeaderField: "Own")
          done(.success(request))
        } catch {
          done(.failure(MoyaError.underlying(error, nil)))
        }
      }, stubClosure: MoyaProvider.immediatelyStub,
      manager: MoyaProvider<MyTarget>.defaultAlamofireManager(), trackInflights: true)
    #expect(provider.trackInflights)
    let response = try await provider.result(of: .zen).get()
    #expect(response.request?.value(forHTTPHeaderField: "Own") == "yes")
  }

  @Test("a manager can pin the keys of a host, and checks other hosts as usual")
  func pinning() async throws {
    // A key is given by its hash: Linux has no `SecKey`, and so no `publicKeysInBundle()`.
    let key = try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
    let policies: [String: ServerTrustPolicy] = [
      "example.com": .pinPublicKeys(
        publicKeys: [key],
        validateCertificateChain: true,
        validateHost: true
      )
    ]
    let trust = ServerTrustPolicyManager(policies: policies)
    let policy = try #require(try trust.serverTrustEvaluator(forHost: "example.com"))
      .policy(forHost: "example.com")
    #expect(policy.publicKeys == [key])
    #expect(policy.checksChain && policy.checksHost)
    for (chain, host) in [(true, false), (false, true), (false, false)] {
      let lenient = ServerTrustPolicy.pinPublicKeys(
        publicKeys: [key], validateCertificateChain: chain, validateHost: host)
      #expect(lenient.checksChain == chain)
      #expect(lenient.checksHost == host)
    }
    #expect(try trust.serverTrustEvaluator(forHost: "example.org") == nil)

    let manager = Manager(
      configuration: URLSessionConfiguration.default,
      serverTrustPolicyManager: ServerTrustPolicyManager(policies: policies)
    )
    let server = try LoopbackServer.forge()
    let provider = MoyaProvider<MyTarget>(endpointClosure: server.endpoint, manager: manager)
    #expect(try await provider.result(of: .zen).get().statusCode == 200)
  }

  @Test("plugins are given as an array")
  func plugins() async throws {
    let notes = Log()
    let provider = MoyaProvider<MyTarget>(
      stubClosure: MoyaProvider.immediatelyStub,
      plugins: [NetworkLoggerPlugin(configuration: .init(output: { _, _ in notes.add("logged") }))])
    _ = try await provider.result(of: .zen).get()
    #expect(notes.all == ["logged", "logged"])
  }
}

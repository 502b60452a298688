import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Singles in Moya's manual", .timeLimit(.minutes(5)))
struct MoyaManualSinglesTests {
  private let server: LoopbackServer
  private let provider: MoyaProvider<ForgeAPI>
  private let notes = Log()

  init() throws {
    let server = try LoopbackServer.forge()
    self.server = server
    provider = MoyaProvider<ForgeAPI>(endpointClosure: server.endpoint)
  }

  // A single's event is a `Result` since RxSwift 6, whose other case is `.failure`; a pattern cannot use
  // another name.
  @Test("a request that is subscribed to succeeds, or fails")
  func request() async {
    let (ends, continuation) = AsyncStream.makeStream(of: String.self)
    let bag = DisposeBag()
    for target in [ForgeAPI.zen, .branches("none", true)] {
      provider.rx.request(target).filterSuccessfulStatusCodes().subscribe { event in
        switch event {
        case .success(let response):
          continuation.yield("success \(response.statusCode)")
        case .failure(let error):
          continuation.yield("failure \((error as? MoyaError)?.response?.statusCode ?? 0)")
        }
      }
      .disposed(by: bag)
      for await end in ends {
        notes.add(end)
        break
      }
    }
    #expect(notes.all == ["success 200", "failure 404"])
  }

  @Test("a request with progress ends with an element that has the response")
  func requestWithProgress() async {
    let (ends, continuation) = AsyncStream.makeStream(of: String.self)
    let subscription = provider.rx.requestWithProgress(.zen).subscribe { event in
      switch event {
      case .next(let progressResponse):
        if let response = progressResponse.response {
          continuation.yield("\(response.statusCode) at \(progressResponse.progress)")
        } else {
          #expect(progressResponse.progress <= 1)
        }
      case .error(let error):
        continuation.yield("\(error)")
      default:
        continuation.finish()
      }
    }
    for await end in ends { notes.add(end) }
    #expect(notes.all == ["200 at 1.0"])
    subscription.dispose()
  }

  @Test("nothing is sent before the subscription, and disposing cancels the request")
  func cold() async throws {
    let held = MoyaProvider<ForgeAPI>(endpointClosure: { [server] target in
      Endpoint(
        url: "\(server.origin)/slow", sampleResponseClosure: { .networkResponse(200, target.sampleData) },
        method: target.method, task: target.task)
    })
    let single = held.rx.request(.zen)
    let disposable = single.subscribe { [notes] in notes.add("\($0)") }
    try await server.log(until: { $0.pending == 1 && $0.requestCount == 1 })
    disposable.dispose()
    try await server.log(until: { $0.abandoned.count == 1 })
    #expect(notes.all.isEmpty)
  }

  @Test("a response has a status, data and Foundation's head")
  func response() throws {
    let response = try provider.rx.request(.zen).toBlocking(timeout: 60).single()
    #expect(response.statusCode == 200)
    #expect(response.data == ForgeAPI.zen.sampleData)
    #expect(response.response?.mimeType == "text/plain")
  }

  @Test(
    "each filter and mapping of singles and observables forwards a matching response, and fails otherwise"
  )
  func operators() throws {
    let zen = provider.rx.request(.zen)
    let user = provider.rx.request(.userProfile("ash"))
    let missing = provider.rx.request(.branches("none", true))
    func ends(_ sequence: some ObservableConvertibleType) throws -> Bool {
      do {
        _ = try sequence.toBlocking(timeout: 60).single()
        return true
      } catch is MoyaError {
        return false
      }
    }
    #expect(try ends(zen.filter(statusCodes: 200...299)) && !ends(missing.filter(statusCodes: 200...299)))
    #expect(try ends(zen.filter(statusCode: 200)) && !ends(missing.filter(statusCode: 200)))
    #expect(try ends(zen.filterSuccessfulStatusCodes()) && !ends(missing.filterSuccessfulStatusCodes()))
    #expect(
      try ends(zen.filterSuccessfulStatusAndRedirectCodes())
        && !ends(missing.filterSuccessfulStatusAndRedirectCodes()))
    #expect(try ends(user.mapJSON()) && !ends(zen.mapJSON()))
    #expect(try ends(zen.mapString()) && ends(user.mapString(atKeyPath: "login")))
    #expect(try !ends(user.mapString(atKeyPath: "id")))
    let observable = missing.asObservable()
    #expect(try !ends(observable.filter(statusCode: 200)) && ends(observable.filter(statusCodes: 400...499)))
    #expect(try !ends(observable.mapJSON()) && ends(user.asObservable().mapString(atKeyPath: "login")))
  }

  @Test("an error has Moya's domain and code")
  func errors() {
    #expect {
      try provider.rx.request(.branches("none", true)).filter(statusCode: 200).toBlocking(timeout: 60)
        .single()
    } throws: {
      error in
      let error = error as NSError
      return error.domain == MoyaErrorDomain && MoyaErrorCode(rawValue: error.code) == .statusCode
    }
  }
}

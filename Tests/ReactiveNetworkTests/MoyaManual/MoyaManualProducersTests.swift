import Dispatch
import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
import ReactiveNetwork
import ReactiveSwiftCompatibility
import RxLite
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Signal producers in Moya's manual", .timeLimit(.minutes(5)))
struct MoyaManualProducersTests {
  private let server: LoopbackServer
  private let provider: MoyaProvider<ForgeAPI>
  private let notes = Log()

  init() throws {
    let server = try LoopbackServer.forge()
    self.server = server
    provider = MoyaProvider<ForgeAPI>(endpointClosure: server.endpoint)
  }

  @Test("a started request sends a value, or fails")
  func request() async {
    let (ends, continuation) = AsyncStream.makeStream(of: String.self)
    for target in [ForgeAPI.zen, .branches("none", true)] {
      provider.reactive.request(target).filterSuccessfulStatusCodes().start { event in
        switch event {
        case let .value(response):
          continuation.yield("value \(response.statusCode)")
        case let .failed(error):
          continuation.yield("failed \(error.response?.statusCode ?? 0)")
        default:
          break
        }
      }
      for await end in ends {
        notes.add(end)
        break
      }
    }
    #expect(notes.all == ["value 200", "failed 404"])
  }

  @Test("a request with progress ends with a value that has the response")
  func requestWithProgress() async {
    let (ends, continuation) = AsyncStream.makeStream(of: String.self)
    provider.reactive.requestWithProgress(.zen).start { event in
      switch event {
      case .value(let progressResponse):
        if let response = progressResponse.response {
          continuation.yield("\(response.statusCode) at \(progressResponse.progress)")
        } else {
          #expect(progressResponse.progress <= 1)
        }
      case .failed(let error):
        continuation.yield("\(error)")
      default:
        continuation.finish()
      }
    }
    for await end in ends { notes.add(end) }
    #expect(notes.all == ["200 at 1.0"])
  }

  @Test("nothing is sent before the start, and disposing cancels the request")
  func cold() async throws {
    let held = MoyaProvider<ForgeAPI>(endpointClosure: { [server] target in
      Endpoint(
        url: "\(server.origin)/slow", sampleResponseClosure: { .networkResponse(200, target.sampleData) },
        method: target.method, task: target.task)
    })
    let producer = held.reactive.request(.zen)
    let disposable = producer.start { [notes] in notes.add("\($0)") }
    try await server.log(until: { $0.pending == 1 && $0.requestCount == 1 })
    disposable.dispose()
    try await server.log(until: { $0.abandoned.count == 1 })
    #expect(notes.all == ["interrupted"])
  }

  @Test("a request sends one value, then completes")
  func order() async {
    await withCheckedContinuation { done in
      provider.reactive.request(.zen).start { [notes] event in
        switch event {
        case .value(let response): notes.add("\(response.statusCode) \(response.data.count)")
        case .completed:
          notes.add("completed")
          done.resume()
        default: notes.add("\(event)")
        }
      }
    }
    #expect(notes.all == ["200 24", "completed"])
  }

  @Test("map transforms the values, which startWithNext receives")
  func map() async {
    let text = await withCheckedContinuation { done in
      provider.reactive.request(.zen)
        .map { response in "\(response.statusCode) \(response.response?.mimeType ?? "-")" }
        .startWithNext { done.resume(returning: $0) }
    }
    #expect(text == "200 text/plain")
  }

  @Test("each filter and mapping forwards a matching response, and fails otherwise")
  func operators() throws {
    let zen = provider.reactive.request(.zen)
    let user = provider.reactive.request(.userProfile("ash"))
    let missing = provider.reactive.request(.branches("none", true))
    func ends<Value>(_ producer: SignalProducer<Value, MoyaError>) throws -> Bool {
      do {
        _ = try producer.asObservable().toBlocking(timeout: 60).single()
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
  }

  @Test(
    "an error has Moya's domain and code, and its user info has the response's data and the underlying error"
  )
  func errors() throws {
    struct Profile: Decodable { let missing: String }
    func failure(_ target: ForgeAPI) throws -> NSError {
      let producer = provider.reactive.request(target).filterSuccessfulStatusCodes().map(Profile.self)
      let error = #expect(throws: MoyaError.self) {
        try producer.asObservable().toBlocking(timeout: 60).single()
      }
      return try #require(error) as NSError
    }
    let status = try failure(.branches("none", true))
    #expect(status.domain == MoyaErrorDomain)
    #expect(MoyaErrorCode(rawValue: status.code) == .statusCode)
    #expect(status.userInfo["data"] as? Data == Data())
    let mapping = try failure(.userProfile("ash"))
    #expect(MoyaErrorCode(rawValue: mapping.code) == .objectMapping)
    #expect(mapping.userInfo[NSUnderlyingErrorKey] is DecodingError)
    #expect((mapping.userInfo["data"] as? Data)?.isEmpty == false)
  }
}

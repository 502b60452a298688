import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// Code from articles and older programs, with changed import lines.
@Suite("The classic spelling", .timeLimit(.minutes(5)))
struct ClassicSpellingTests {
  private struct Repo: Decodable, Sendable {
    let name: String
  }

  private enum Host: TargetType {
    case userRepositories(String, at: URL)

    var baseURL: URL {
      switch self {
      case .userRepositories(_, let host): host
      }
    }
    var path: String {
      switch self {
      case .userRepositories(let name, _): return "/users/\(name)/repos"
      }
    }
    var method: Moya.Method { return .get }
    var task: Moya.Task {
      switch self {
      case .userRepositories:
        return .requestParameters(parameters: ["sort": "pushed"], encoding: URLEncoding.default)
      }
    }
    var headers: [String: String]? { return ["Accept": "application/json"] }
    var sampleData: Data { return Data() }
  }

  @Test("observeOn, filterStatusCodes and a subscription in a dispose bag")
  func request() async throws {
    let server = try LoopbackServer { _ in .json(#"[{"name": "site"}]"#) }
    let provider = MoyaProvider<Host>()
    let bag = DisposeBag()
    let (names, continuation) = AsyncStream.makeStream(of: [String].self)
    provider.rx.request(.userRepositories("ash", at: server.baseURL))
      .filterStatusCodes(200...299)
      .map([Repo].self)
      .observeOn(ConcurrentDispatchQueueScheduler(qos: .utility))
      .subscribe(
        onSuccess: { continuation.yield($0.map(\.name)) }, onFailure: { continuation.yield(["\($0)"]) }
      )
      .disposed(by: bag)
    for await found in names {
      #expect(found == ["site"])
      break
    }
    #expect(server.log.requests.map(\.target) == ["/users/ash/repos?sort=pushed"])
  }

  @Test("takeUntil on the request itself cancels the request")
  func takeUntil() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = MoyaProvider<Host>()
    let cancelEvent = PublishSubject<Void>()
    let (ends, continuation) = AsyncStream.makeStream(of: String.self)
    let subscription = provider.rx.request(.userRepositories("ash", at: server.baseURL))
      .takeUntil(cancelEvent)
      .mapJSON()
      .catchErrorJustReturn("an error")
      .subscribe(
        onNext: { continuation.yield("\($0)") }, onCompleted: { continuation.yield("completed") })
    try await server.log(until: { $0.pending == 1 })
    cancelEvent.onNext(())
    for await end in ends {
      #expect(end == "completed")
      break
    }
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    subscription.dispose()
  }
}

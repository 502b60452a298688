import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

/// The examples in the article, about one service.
private struct Examples {
  var provider: NetworkProvider<Account>

  struct Profile: Decodable, Sendable {
    let name: String
  }

  enum Account: TargetType {
    case profile(Int)
    case rename(String)

    var baseURL: URL { URL(string: "https://account.example")! }
    var path: String {
      switch self {
      case .profile(let id): "/profiles/\(id)"
      case .rename: "/name"
      }
    }
  }

  func message(for error: any Error) -> String? {
    guard let error = error as? NetworkError else { return error.localizedDescription }
    if error.isCancelled { return nil }
    if case .statusCode(let response) = error { return "The service answered \(response.statusCode)." }
    switch error.transferError {
    case .cannotFindHost, .cannotConnect, .connectionLost: return "There is no connection."
    case .timedOut: return "The service takes too long."
    default: return error.localizedDescription
    }
  }

  struct Refusal: Decodable, Sendable {
    let message: String
  }

  func rename(to name: String) -> Single<Profile> {
    provider.rx.request(.rename(name))
      .filterSuccessfulStatusCodes()
      .map(Profile.self)
      .mapError(to: Refusal.self)
  }

  func explanation(of error: any Error) -> String {
    switch error as? APIError<Refusal> {
    case .clientError(_, let refusal?): refusal.message
    case .clientError(let code, nil): "Refused with \(code)."
    case .serverError(let code): "The service failed with \(code)."
    case .noResponseReceived(let error): error.localizedDescription
    case .some(let other): other.localizedDescription
    case nil: error.localizedDescription
    }
  }

  func names(of ids: Observable<Int>) -> Observable<String> {
    ids.flatMapLatest { id in
      provider.rx.value(.profile(id), as: Profile.self)
        .map(\.name)
        .catchAndReturn("?")
    }
  }

  func patientProfile(_ id: Int, scheduler: any SchedulerType) -> Single<Profile> {
    provider.rx.request(.profile(id))
      .filterSuccessfulStatusCodes()
      .retry(backoff: .exponential(), maxAttempts: 4, scheduler: scheduler)
      .map(Profile.self)
  }
}

@Suite("Examples in Error handling", .timeLimit(.minutes(5)))
struct ErrorHandlingTests {
  @Test("each error on the wire has a message")
  func words() async throws {
    let server = try LoopbackServer { _ in .close }
    server.route("/profiles/1") { _ in .status(500) }
    server.route("/profiles/2") { _ in .text("no JSON") }
    let examples = Examples(provider: NetworkProvider(at: server))
    func message(_ id: Int) async -> String? {
      do {
        _ = try await examples.provider.value(for: .profile(id), as: Examples.Profile.self)
        return "a success"
      } catch {
        return examples.message(for: error)
      }
    }
    #expect(await message(1) == "The service answered 500.")
    #expect(await message(2)?.isEmpty == false)
    #expect(await message(3) == "There is no connection.")
    #expect(examples.message(for: NetworkError.cancelled) == nil)
    let slow = NetworkError.underlying(TransferError.timedOut(.total, after: .seconds(1)), nil)
    #expect(examples.message(for: slow) == "The service takes too long.")
  }

  @Test("a refusal is shown with the server's message")
  func refusals() async throws {
    let server = try LoopbackServer { _ in .json(#"{"message": "taken"}"#, status: 409) }
    let examples = Examples(provider: NetworkProvider(at: server))
    func explanation() async -> String {
      do { return try await examples.rename(to: "ash").value.name } catch {
        return examples.explanation(of: error)
      }
    }
    #expect(await explanation() == "taken")
    server.stop()
    #expect(await explanation().isEmpty == false)
    let failure = APIError<Examples.Refusal>.serverError(statusCode: 503)
    #expect(examples.explanation(of: failure) == "The service failed with 503.")
  }

  @Test("one failure does not end the other requests")
  func others() async throws {
    let server = try LoopbackServer { $0.path == "/profiles/1" ? .status(404) : .json(#"{"name": "ash"}"#) }
    let examples = Examples(provider: NetworkProvider(at: server))
    for (id, name) in [(1, "?"), (2, "ash")] {
      #expect(try await examples.names(of: .just(id)).asSingle().value == name)
    }
  }

  @Test("a transient failure is retried")
  func patience() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.01)
    let stubs = StubTable<Examples.Account>()
    stubs.add(
      path: "/profiles/1",
      [
        .networkResponse(503, Data()), .networkResponse(429, Data()),
        .networkResponse(200, Data(#"{"name": "ash"}"#.utf8)),
      ])
    stubs.add(path: "/profiles/2", [.networkResponse(404, Data())])
    let examples = Examples(provider: NetworkProvider(stubs: stubs, scheduler: scheduler.asDelayScheduler()))
    let first = scheduler.record(examples.patientProfile(1, scheduler: scheduler).map(\.name).asObservable())
    let second = scheduler.record(examples.patientProfile(2, scheduler: scheduler).map(\.name).asObservable())
    scheduler.start()
    #expect(first.events.compactMap(\.value.element) == ["ash"])
    // Half a second and a second, each reduced by at most a half.
    #expect(first.events.first.map { (75...151).contains($0.time) } == true)
    #expect(second.events.map(\.value.isStopEvent) == [true])
    #expect(second.events.first.map { $0.time < 5 } == true)
  }
}

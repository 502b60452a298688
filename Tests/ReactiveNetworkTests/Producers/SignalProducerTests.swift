import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
import ObjectMapperCompatibility
import ReactiveNetwork
import ReactiveSwiftCompatibility
import RxLite
import Testing

@Suite("Requests with ReactiveSwift's names", .timeLimit(.minutes(5)))
struct SignalProducerTests {
  private let provider = NetworkProvider<LoopbackTarget>()

  private func server() throws -> LoopbackServer {
    try LoopbackServer { request in
      switch request.path {
      case "/text": .text("hello")
      case "/json": .json(#"{"user": {"name": "ash", "tags": [1, 2]}}"#)
      case "/slow": .never
      default: .status(404)
      }
    }
  }

  /// Returns the events of a started producer as text, up to its end.
  private func events<Value>(of producer: SignalProducer<Value, NetworkError>) async -> [String] {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    producer.start { event in
      switch event {
      case .value(let value): continuation.yield("value \(value)")
      case .failed(let error):
        continuation.yield("failed \(error.response?.statusCode ?? 0)")
        continuation.finish()
      case .completed:
        continuation.yield("completed")
        continuation.finish()
      case .interrupted: continuation.finish()
      }
    }
    return await stream.reduce(into: []) { $0.append($1) }
  }

  @Test("a producer sends a value, then completes")
  func success() async throws {
    let server = try server()
    let request = provider.reactive.request(LoopbackTarget(server, "/text"))
    #expect(server.log.requests.isEmpty)
    #expect(
      await events(of: request.filterSuccessfulStatusCodes().mapString()) == ["value hello", "completed"])
    #expect(await events(of: request.map(\.statusCode)) == ["value 200", "completed"])
    #expect(server.log.requests.count == 2)
  }

  @Test("schedulers with ReactiveSwift's names deliver on their queues")
  func schedulers() async {
    let key = DispatchSpecificKey<String>()
    let own = DispatchQueue(label: "own")
    DispatchQueue.main.setSpecific(key: key, value: "main")
    own.setSpecific(key: key, value: "own")
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    let producer = SignalProducer<Int, NetworkError>(value: 1)
    let schedulers: [(QueueScheduler, String)] = [
      (UIScheduler(), "main"), (.main, "main"), (QueueScheduler(name: "test", targeting: own), "own"),
      (QueueScheduler(qos: .utility, name: "test"), "none"),
    ]
    for (scheduler, queue) in schedulers {
      let queues = producer.observe(on: scheduler).map { _ in DispatchQueue.getSpecific(key: key) ?? "none" }
      #expect(await events(of: queues) == ["value \(queue)", "completed"])
    }
  }

  @Test("filters and mappings fail with the network's error")
  func failures() async throws {
    let server = try server()
    let missing = provider.reactive.request(LoopbackTarget(server, "/missing"))
    #expect(await events(of: missing.filterSuccessfulStatusCodes()) == ["failed 404"])
    #expect(await events(of: missing.filterSuccessfulStatusAndRedirectCodes()) == ["failed 404"])
    #expect(await events(of: missing.filter(statusCode: 200)) == ["failed 404"])
    #expect(await events(of: missing.filter(statusCodes: 200..<300)) == ["failed 404"])
    #expect(
      await events(of: missing.filter(statusCodes: 400...).map(\.statusCode)) == ["value 404", "completed"])
    let json = provider.reactive.request(LoopbackTarget(server, "/json"))
    #expect(await events(of: json.mapString(atKeyPath: "user.name")) == ["value ash", "completed"])
    #expect(await events(of: json.map([Int].self, atKeyPath: "user.tags")) == ["value [1, 2]", "completed"])
    #expect(await events(of: json.map([String].self, atKeyPath: "user.tags")) == ["failed 200"])
    #expect(
      await events(of: provider.reactive.request(LoopbackTarget(server, "/text")).mapJSON()) == ["failed 200"]
    )
  }

  @Test("disposing interrupts, and cancels the transfer")
  func interruption() async throws {
    let server = try server()
    let notes = Log()
    let work = provider.reactive.request(LoopbackTarget(server, "/slow")).start { event in
      if case .interrupted = event { notes.add("interrupted") } else { notes.add("\(event)") }
    }
    try await server.log(until: { $0.pending == 1 })
    work.dispose()
    work.dispose()
    #expect(notes.all == ["interrupted"])
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
  }

  @Test("a dispose after the end does not interrupt")
  func late() {
    let notes = Log()
    let stubbed = NetworkProvider<StubTarget>(stubClosure: NetworkProvider.immediatelyStub)
    let work = stubbed.reactive.request(StubTarget()).mapString().startWithResult { result in
      notes.add("\((try? result.get()) ?? "no value")")
    }
    let other = stubbed.reactive.request(StubTarget()).start { notes.add("\($0)".prefix(9).description) }
    work.dispose()
    other.dispose()
    #expect(notes.all.first == "stub")
    #expect(notes.all.count == 3)
    #expect(notes.all.last == "completed")
  }

  @Test("a producer sends progress, and the response at its end")
  func progress() async throws {
    let server = try server()
    let request = provider.reactive.requestWithProgress(LoopbackTarget(server, "/text"))
    #expect(await events(of: request.filterCompleted().mapString()) == ["value hello", "completed"])
    #expect(await events(of: request.filterProgress()).last == "completed")
    let sample = NetworkProvider<StubTarget>(stubClosure: NetworkProvider.immediatelyStub)
      .reactive.requestWithProgress(StubTarget())
    #expect(await events(of: sample.filterProgress()) == ["value 1.0", "completed"])
  }

  @Test("operators do the same as on singles")
  func operators() async {
    func answer(_ status: Int, _ body: String = "") -> SignalProducer<Response, NetworkError> {
      NetworkProvider<StubTarget>(stubClosure: NetworkProvider.immediatelyStub)
        .reactive.request(StubTarget(status: status, body: body))
    }
    let redirect = answer(304).filterSuccessfulStatusAndRedirectCodes().map(\.statusCode)
    #expect(await events(of: redirect) == ["value 304", "completed"])
    #expect(await events(of: answer(304).filterSuccessfulStatusCodes()) == ["failed 304"])
    let empty = answer(200).mapJSON(failsOnEmptyData: false)
    #expect(await events(of: empty) == ["value <null>", "completed"])
    let none = answer(200).map([Int].self, failsOnEmptyData: false)
    #expect(await events(of: none) == ["value []", "completed"])
    let people = answer(200, #"{"one": {"name": "ash"}, "all": [{"name": "a"}, {"name": "b"}]}"#)
    #expect(
      await events(of: people.mapObject(Person.self, atKeyPath: "one").map(\.name)) == [
        "value ash", "completed",
      ])
    #expect(
      await events(of: people.mapArray(Person.self, atKeyPath: "all").map { $0.map(\.name).joined() }) == [
        "value ab", "completed",
      ])
  }

  @Test("a request delivers on the queue that it is given, also with progress")
  func callbackQueue() async {
    let key = DispatchSpecificKey<String>()
    let own = DispatchQueue(label: "own")
    own.setSpecific(key: key, value: "own")
    let provider = NetworkProvider<StubTarget>(stubClosure: NetworkProvider.immediatelyStub)
    let response = provider.reactive.request(StubTarget(), callbackQueue: own)
      .map { _ in DispatchQueue.getSpecific(key: key) ?? "none" }
    #expect(await events(of: response) == ["value own", "completed"])
    let progress = provider.reactive.requestWithProgress(StubTarget(), callbackQueue: own)
      .filterCompleted().map { _ in DispatchQueue.getSpecific(key: key) ?? "none" }
    #expect(await events(of: progress) == ["value own", "completed"])
  }

  @Test("an empty body is not JSON by default")
  func emptyBodies() async {
    let empty = NetworkProvider<StubTarget>(stubClosure: NetworkProvider.immediatelyStub)
      .reactive.request(StubTarget(body: ""))
    #expect(await events(of: empty.mapJSON()) == ["failed 200"])
    #expect(await events(of: empty.map([Int].self)) == ["failed 200"])
  }

  @Test("map uses the decoder that it is given")
  func decoder() async {
    struct Song: Decodable { let songTitle: String }
    let snakeCase = JSONDecoder()
    snakeCase.keyDecodingStrategy = .convertFromSnakeCase
    let title = NetworkProvider<StubTarget>(stubClosure: NetworkProvider.immediatelyStub)
      .reactive.request(StubTarget(body: #"{"song_title": "Ceremony"}"#))
      .map(Song.self, using: snakeCase).map(\.songTitle)
    #expect(await events(of: title) == ["value Ceremony", "completed"])
  }

  @Test("startWithFailed receives only the error, startWithCompleted only the completion")
  func ends() {
    let notes = Log()
    let provider = NetworkProvider<StubTarget>(stubClosure: NetworkProvider.immediatelyStub)
    for status in [200, 500] {
      let producer = provider.reactive.request(StubTarget(status: status)).filterSuccessfulStatusCodes()
      producer.startWithFailed { notes.add("failed \($0.response?.statusCode ?? 0)") }
      producer.startWithCompleted { notes.add("completed") }
    }
    #expect(notes.all == ["completed", "failed 500"])
  }

  @Test("observe(on:) moves events to another queue, and mapError changes the error")
  func queue() async {
    struct OtherError: Error, Equatable {}
    let failing = NetworkProvider<StubTarget>(stubClosure: NetworkProvider.immediatelyStub)
      .reactive.request(StubTarget()).filter(statusCode: 500)
    let error = await withCheckedContinuation { done in
      failing.observe(on: QueueScheduler(qos: .utility)).mapError { _ in OtherError() }
        .startWithFailed { done.resume(returning: $0) }
    }
    #expect(error == OtherError())
  }
}

private struct StubTarget: TargetType {
  var baseURL: URL { URL(filePath: "/") }
  var path: String { "" }
  var status = 200
  var body = "stub"
  var sampleResponse: EndpointSampleResponse { .networkResponse(status, Data(body.utf8)) }
}

private struct Person: Mappable {
  var name = ""

  init?(map: Map) {}

  mutating func mapping(map: Map) { name <- map["name"] }
}

import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Requests of a provider on the wire", .timeLimit(.minutes(5)))
struct RequestWireTests {
  private struct Song: Codable, Equatable {
    var title: String
    var seconds: Int
  }

  private func provider(
    _ kind: TransportKind, plugins: [any PluginType] = []
  ) throws -> NetworkProvider<LoopbackTarget> {
    NetworkProvider(transport: try kind.make(), plugins: plugins)
  }

  @Test("a response arrives with status, fields and body", arguments: TransportKind.allCases)
  func success(kind: TransportKind) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/songs/:title") { request in
      .json(#"{"title": "\#(request.parameters["title"] ?? "")", "seconds": 215}"#).header("X-Side", "B")
    }
    let response = try await provider(kind).result(LoopbackTarget(server, "/songs/Blue Monday")).get()
    #expect(response.statusCode == 200)
    #expect(response.headers["x-side"] == "B")
    #expect(try response.map(Song.self) == Song(title: "Blue Monday", seconds: 215))
    #expect(server.log.requests.map(\.target) == ["/songs/Blue%20Monday"])
  }

  @Test("a 404 is a response, and an error if validationType rejects it", arguments: TransportKind.allCases)
  func notFound(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("no such song", status: 404) }
    let provider = try provider(kind)
    let response = try await provider.result(LoopbackTarget(server)).get()
    #expect(response.statusCode == 404)
    let strict = LoopbackTarget(server).with { $0.validationType = .successCodes }
    guard case .failure(.statusCode(let bad)) = await provider.result(strict) else {
      Issue.record("a 404 passed as one of the success codes")
      return
    }
    #expect(try bad.mapString() == "no such song")
    let lenient = LoopbackTarget(server).with { $0.validationType = .customCodes([404]) }
    #expect(try await provider.result(lenient).get().statusCode == 404)
  }

  @Test("a JSON body reaches the server with its type and length", arguments: TransportKind.allCases)
  func jsonBody(kind: TransportKind) async throws {
    let server = try LoopbackServer { .text($0.text, status: 201) }
    let song = Song(title: "Atmosphere ✓", seconds: 251)
    let target = LoopbackTarget(server, "songs").with {
      $0.method = .post
      $0.task = .requestJSONEncodable(song)
    }
    let response = try await provider(kind).result(target).get()
    #expect(response.statusCode == 201)
    let seen = try #require(server.log.requests.first)
    #expect(seen.method == "POST")
    #expect(seen.headers["Content-Type"] == "application/json")
    #expect(seen.headers["Content-Length"] == String(seen.bodyLength))
    #expect(try JSONDecoder().decode(Song.self, from: seen.body) == song)
  }

  @Test("parameters go to the query of a GET and the body of a form", arguments: TransportKind.allCases)
  func parameters(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(204) }
    let provider = try provider(kind)
    let task = HTTPTask.requestParameters(
      parameters: ["q": "swift rx&more", "page": 2, "tag": ["a", "b"]], encoding: URLEncoding.default)
    _ = try await provider.result(LoopbackTarget(server, "/search").with { $0.task = task }).get()
    let form = LoopbackTarget(server, "/search").with {
      $0.method = .post
      $0.task = task
    }
    _ = try await provider.result(form).get()
    let log = server.log
    try #require(log.requests.count == 2)
    let expected = ["page": ["2"], "q": ["swift rx&more"], "tag[]": ["a", "b"]]
    #expect(Dictionary(grouping: log.requests[0].query, by: \.name).mapValues { $0.map(\.value) } == expected)
    #expect(log.requests[1].rawQuery == nil)
    #expect(Dictionary(grouping: log.requests[1].form, by: \.name).mapValues { $0.map(\.value) } == expected)
  }

  @Test(
    "the target's header fields reach the server with the changes of plugins",
    arguments: TransportKind.allCases)
  func headers(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let log = Log()
    let target = LoopbackTarget(server).with { $0.headers = ["X-Token": "opaque", "Accept": "text/plain"] }
    let provider = try provider(kind, plugins: [LoggingPlugin(name: "A", log: log)])
    _ = await provider.result(target)
    let seen = try #require(server.log.requests.first).headers
    #expect(seen["X-Token"] == "opaque")
    #expect(seen["Accept"] == "text/plain")
    #expect(seen["Seen"] == "A")
    #expect(log.all == ["A prepare", "A willSend A", "A didReceive 200", "A process 200"])
  }

  @Test("callbacks run on the given queue", arguments: TransportKind.allCases)
  func callbackQueue(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("body") }
    let key = DispatchSpecificKey<String>()
    let queues = ["provider", "request"].map { name in
      let queue = DispatchQueue(label: name)
      queue.setSpecific(key: key, value: name)
      return queue
    }
    let provider = NetworkProvider<LoopbackTarget>(callbackQueue: queues[0], transport: try kind.make())
    for (queue, name) in [(nil, "provider"), (queues[1], "request")] {
      let log = Log()
      let result = await withCheckedContinuation { done in
        provider.request(
          LoopbackTarget(server), callbackQueue: queue,
          progress: { _ in log("progress \(DispatchQueue.getSpecific(key: key) ?? "elsewhere")") },
          completion: { result in
            log("end \(DispatchQueue.getSpecific(key: key) ?? "elsewhere")")
            done.resume(returning: result)
          })
      }
      #expect(try result.get().statusCode == 200)
      #expect(log.all.last == "end \(name)")
      #expect(Set(log.all) == ["progress \(name)", "end \(name)"])
    }
  }

  @Test(
    "a released provider finishes its requests, and is then deallocated", arguments: TransportKind.allCases)
  func released(kind: TransportKind) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("done").held(until: gate) }
    let ending = CompletionStream()
    weak var released: NetworkProvider<LoopbackTarget>?
    try {
      let provider = try provider(kind)
      released = provider
      provider.request(LoopbackTarget(server), completion: ending.completion)
    }()
    try await server.log(until: { $0.pending == 1 })
    #expect(released != nil)
    gate.open()
    #expect(try await ending.next().get().mapString() == "done")
    // The transport's thread releases the provider right after the completion.
    try await server.log(until: { $0.openConnections == 0 })
    #expect(released == nil)
  }
}

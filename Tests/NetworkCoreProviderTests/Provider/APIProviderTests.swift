import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private enum Shop: APITargetType {
  struct ClientErrorType: Decodable, Equatable { let message: String }
  case item(Int)
  case mocked(MockedResponse)
  case rename(String)

  var baseURL: URL { URL(staticString: "http://h") }
  var path: String { "/items" }
  var method: HTTPMethod {
    if case .rename = self { .patch } else { .get }
  }
  var task: HTTPTask {
    if case .rename(let name) = self { json(Rename(newName: name)) } else { .requestPlain }
  }
  var queryParameters: [String: QueryParameterValue] {
    if case .item(let id) = self {
      ["z": "a b&c", "id": "\(id)", "tags": ["x", "y"], "none": []]
    } else {
      [:]
    }
  }
  var validationType: ValidationType { .successCodes }
  var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return encoder
  }
  var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }
  var mockedResponse: MockedResponse? {
    if case .mocked(let response) = self { response } else { nil }
  }
}

private struct Rename: Encodable { let newName: String }
private struct Item: Decodable, Equatable, Sendable { let itemName: String }

@Suite("A provider of an API with typed errors", .timeLimit(.minutes(5)))
struct APIProviderTests {
  private typealias Failure = APIError<Shop.ClientErrorType>

  @Test("sends a target's query, and its value encoded by the target's encoder")
  func request() throws {
    let transport = ScriptedTransport { $0.respond(204) }
    let provider = NetworkProvider<Shop>(transport: transport)
    provider.performRequest(on: .item(3)) { _ in }
    provider.performRequest(on: .rename("x")) { _ in }
    #expect(
      transport.transfers.map(\.request.url) == [
        "http://h/items?id=3&tags=x&tags=y&z=a%20b%26c", "http://h/items",
      ])
    #expect(transport.transfers[1].request.body == .data(Data(#"{"new_name":"x"}"#.utf8)))
    #expect(transport.transfers[1].request.headers["Content-Type"] == "application/json")
  }

  @Test("decodes a success, and returns a typed error for a status that validation rejects")
  func decodes() {
    let answers = Lock([(200, #"{"item_name":"a"}"#), (404, #"{"message":"gone"}"#), (500, "")])
    let transport = ScriptedTransport { transfer in
      let (code, body) = answers.withLock { $0.removeFirst() }
      transfer.respond(code, body)
    }
    let provider = NetworkProvider<Shop>(transport: transport)
    let results = Lock([Result<Item, Failure>]())
    for _ in 0..<3 {
      provider.performRequest(on: .item(1), decodeBodyTo: Item.self) { result in
        results.withLock { $0.append(result) }
      }
    }
    #expect(
      results.withLock { $0 } == [
        .success(Item(itemName: "a")),
        .failure(.clientError(statusCode: 404, clientError: .init(message: "gone"))),
        .failure(.serverError(statusCode: 500)),
      ])
  }

  @Test("a task that is already cancelled sends nothing, and the plugins see its failure")
  func cancelledTask() async {
    struct FailureLogger: DecodedResultPlugin {
      let log: Log
      func didDecode<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType) {
        if case .failure = result { log("failure") }
      }
    }
    let log = Log()
    let transport = ScriptedTransport()
    let provider = NetworkProvider<Shop>(transport: transport, plugins: [FailureLogger(log: log)])
    let result = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await provider.response(on: .item(1), decodeBodyTo: Item.self)
    }.value
    #expect(result == .failure(.noResponseReceived(error: .cancelled)))
    #expect(transport.transfers.isEmpty)
    #expect(log.all == ["failure"])
  }

  @Test("reports a cancellation once, as a typed error")
  func cancels() {
    let provider = NetworkProvider<Shop>(transport: ScriptedTransport())
    let results = Lock([Result<EmptyBodyResponse, Failure>]())
    let token = provider.performRequest(on: .item(1)) { result in results.withLock { $0.append(result) } }
    token.cancel()
    #expect(results.withLock { $0 } == [.failure(.noResponseReceived(error: .cancelled))])
  }

  @Test("can be awaited, and cancelling the task cancels the request")
  func awaits() async {
    let answering = NetworkProvider<Shop>(
      transport: ScriptedTransport { $0.respond(200, #"{"item_name":"a"}"#) })
    #expect(await answering.response(on: .item(1), decodeBodyTo: Item.self) == .success(Item(itemName: "a")))
    #expect(await answering.response(on: .item(1)) == .success(EmptyBodyResponse()))

    let transport = ScriptedTransport()
    let silent = NetworkProvider<Shop>(transport: transport)
    let task = Task { await silent.response(on: .item(1)) }
    // If the task is cancelled earlier, nothing may be sent.
    await suspendUntil { !transport.transfers.isEmpty }
    task.cancel()
    #expect(await task.value == .failure(.noResponseReceived(error: .cancelled)))
    // The request may end while the transport is still starting the transfer, which is then cancelled
    // afterwards.
    await suspendUntil { transport.transfers.map(\.cancelCount) != [0] }
    #expect(transport.transfers.map(\.cancelCount) == [1])
  }

  @Test("a stub returns the mocked response")
  func mocked() async throws {
    let provider = NetworkProvider<Shop>(stubClosure: NetworkProvider<Shop>.immediatelyStub)
    let item = try MockedResponse(bodyEncodable: ["item_name": "b"])
    #expect(
      await provider.response(on: .mocked(item), decodeBodyTo: Item.self) == .success(Item(itemName: "b")))
    let refusal = MockedResponse(
      status: .conflict, bodyJson: #"{"message":"twice"}"#, headers: ["Retry-After": "3"])
    #expect(
      await provider.response(on: .mocked(refusal))
        == .failure(.clientError(statusCode: 409, clientError: .init(message: "twice"))))
    let outcome = CompletionRecorder()
    provider.request(.mocked(refusal), completion: outcome.completion)
    #expect(outcome.error?.response?.headers["retry-after"] == "3")
    #expect(outcome.error?.response?.headers["Content-Type"] == "application/json")
    #expect(await provider.response(on: .item(1), decodeBodyTo: Data.self) == .success(Data()))
    let typed = MockedResponse(bodyJson: "", headers: ["content-type": "x/y"])
    #expect(typed.headers == ["content-type": "x/y"])
    let encoded = try MockedResponse(
      status: .conflict, bodyEncodable: Rename(newName: "b"), encoder: Shop.rename("").encoder,
      headers: ["A": "b"])
    #expect(encoded.statusCode == 409)
    #expect(encoded.headers == ["A": "b", "Content-Type": "application/json"])
    #expect(encoded.bodyData == Data(#"{"new_name":"b"}"#.utf8))
  }

  @Test("a provider without a server uses its queue, plugins and interceptors")
  func mockingParts() {
    let queue = DispatchQueue(label: "callbacks")
    let provider = NetworkProvider<Shop>(
      mockingBehavior: MockingBehavior(), callbackQueue: queue, plugins: [MetricsPlugin { _ in }],
      interceptors: [RetryPolicy()])
    #expect(provider.callbackQueue === queue)
    #expect(provider.plugins.map { $0 is MetricsPlugin } == [true])
    #expect(provider.interceptors.map { $0 is RetryPolicy } == [true])
  }

  @Test("responds without a server as its mocking behavior specifies, after its delay")
  func mocking() throws {
    let time = ManualDelayScheduler()
    let log = Log()
    let provider = NetworkProvider<Shop>(
      mockingBehavior: MockingBehavior(delay: .seconds(2), scheduler: time) { target in
        if case .item(let id) = target {
          id == 0 ? nil : MockedResponse(bodyJson: #"{"item_name":"\#(id)"}"#, headers: ["A": "b"])
        } else {
          target.mockedResponse
        }
      })
    for target in [Shop.item(1), .mocked(MockedResponse(status: .notFound, bodyJson: #"{"message":"m"}"#))] {
      provider.performRequest(on: target, decodeBodyTo: Item.self) { log("\($0)") }
    }
    provider.performRequest(on: .item(0)) { result in
      if case .failure(.noResponseReceived(let error)) = result { log(error.localizedDescription) }
    }
    time.advance(by: .milliseconds(1900))
    #expect(log.all.isEmpty)
    time.advance(by: .milliseconds(100))
    try #require(log.all.count == 3)
    #expect(log.all[0].hasSuffix(#"Item(itemName: "1"))"#))
    #expect(log.all[1].contains(#"clientError(statusCode: 404"#))
    #expect(log.all[2] == "There is no mocked response for item(0).")
  }

  @Test(
    "the error of a missing mock hides the target's strings, also with quotation marks and backslashes",
    arguments: [#"pass"word"#, #"word\"#, #""word\"word"#])
  func missingMock(name: String) {
    let provider = NetworkProvider<Shop>(mockingBehavior: MockingBehavior { _ in nil })
    let outcome = CompletionRecorder()
    provider.request(.rename(name), completion: outcome.completion)
    let text = outcome.error?.localizedDescription
    #expect(text?.contains("rename(<redacted>).") == true)
    #expect(text?.contains("word") == false)
  }

  @Test("the error of a missing mock keeps its type and names the target")
  func missingMockType() {
    let provider = NetworkProvider<Shop>(mockingBehavior: MockingBehavior { _ in nil })
    let outcome = CompletionRecorder()
    provider.request(.item(0), completion: outcome.completion)
    #expect((outcome.error?.underlyingError as? MissingMockError)?.target == "item(0)")
  }

  @Test("the sample of a mocked response has the URL of the target")
  func sampleURL() {
    guard case .response(let head, _) = Shop.mocked(MockedResponse()).sampleResponse else {
      Issue.record("the sample has no head")
      return
    }
    #expect(head.url?.absoluteString == "http://h/items")
  }

  @Test("the completion runs on the queue of the call, whether it gets a body or not")
  func callbackQueue() async {
    let (queue, key, log) = (DispatchQueue(label: "call"), DispatchSpecificKey<String>(), Log())
    queue.setSpecific(key: key, value: "call")
    let provider = NetworkProvider<Shop>(transport: ScriptedTransport { $0.respond(200, "{}") })
    provider.performRequest(on: .item(1), callbackQueue: queue) { _ in
      log(DispatchQueue.getSpecific(key: key) ?? "none")
    }
    provider.performRequest(on: .item(1), decodeBodyTo: Data.self, callbackQueue: queue) { _ in
      log(DispatchQueue.getSpecific(key: key) ?? "none")
    }
    await queue.waitUntilDrained()
    #expect(log.all == ["call", "call"])
  }

  @Test("blocks until the value is decoded, and the plugins see the value")
  func waiting() async {
    struct DecodedResultLogger: DecodedResultPlugin {
      let log: Log
      func didDecode<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType) {
        log("\(result)")
      }
    }
    let log = Log()
    let provider = NetworkProvider<Shop>(
      mockingBehavior: MockingBehavior { _ in MockedResponse(bodyJson: #"{"item_name":"x"}"#) },
      plugins: [DecodedResultLogger(log: log)])
    let (item, empty) = await withCheckedContinuation { done in
      DispatchQueue.global().async {
        done.resume(
          returning: (
            provider.performRequestAndWait(on: .item(1), decodeBodyTo: Item.self),
            provider.performRequestAndWait(on: .item(2))
          ))
      }
    }
    #expect((try? item.get()) == Item(itemName: "x"))
    #expect((try? empty.get()) == EmptyBodyResponse())
    #expect(log.all.count == 2)
  }
}

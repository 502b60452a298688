import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A request")
struct RequestTests {
  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()

  @Test("sends what the target specifies, and completes with the transport's response")
  func roundTrip() throws {
    NetworkProvider<GitHub>(transport: transport).request(.profile("ash"), completion: outcome.completion)
    let transfer = try #require(transport.transfers.first)
    var expected = TransportRequest(method: .get, url: "https://api.github.com/users/ash")
    expected.reportsMetrics = true
    expected.responseBodyLimit = 256 << 20
    #expect(transfer.request == expected)
    #expect(outcome.count == 0)
    transfer.respond(404, headers: ["Content-Type": "text/plain"], "gone")
    #expect(outcome.count == 1)
    let response = try #require(outcome.response)
    #expect(response.statusCode == 404)
    #expect(response.data == Data("gone".utf8))
    #expect(response.request?.url?.absoluteString == transfer.request.url)
    #expect(response.headers["content-type"] == "text/plain")
  }

  @Test("creates the HTTPURLResponse once")
  func foundationHead() throws {
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    transport.transfers.first?.respond(201, headers: ["X-A": "b"])
    let head = try #require(outcome.response?.response)
    #expect(head.statusCode == 201)
    #expect(head.value(forHTTPHeaderField: "x-a") == "b")
    #expect(head.url?.absoluteString == "https://api.github.com/zen")
    #expect(outcome.response?.response === head)
  }

  @Test("sends method, fields, body and time-out of the given request")
  func conversion() throws {
    defer { transport.finish() }
    let provider = NetworkProvider<GitHub>(
      requestClosure: { endpoint, done in
        var request = URLRequest(url: URL(staticString: "http://h/x"), timeoutInterval: 1.5)
        request.httpMethod = "PURGE"
        request.allHTTPHeaderFields = ["B": "2", "A": "1"]
        request.httpBody = Data("body".utf8)
        done(.success(request))
      }, transport: transport)
    provider.request(.zen, completion: outcome.completion)
    var expected = TransportRequest(
      method: HTTPMethod(rawValue: "PURGE"), url: "http://h/x", headers: ["A": "1", "B": "2"],
      body: .data(Data("body".utf8)), idleTimeout: .milliseconds(1500), responseBodyLimit: 256 << 20)
    expected.reportsMetrics = true
    #expect(transport.transfers.first?.request == expected)
  }

  @Test("delivers a body of one piece without a copy")
  func onePiece() throws {
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    let body = Data(repeating: 7, count: 10_000)
    transport.transfers.first?.send(
      .head(ResponseHead(statusCode: 200, url: "http://h", headers: [:])), .body(body), .finished(nil))
    let address = { (data: Data) in data.withUnsafeBytes { $0.baseAddress } }
    #expect(try address(body) == address(#require(outcome.response).data))
  }

  @Test("joins the pieces of a body", arguments: ["", "6", "3", "999999999999999999", "-1", "x"])
  func pieces(contentLength: String) {
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    let fields: HTTPHeaders = contentLength.isEmpty ? [:] : ["Content-Length": contentLength]
    let transfer = transport.transfers.first
    transfer?.send(.head(ResponseHead(statusCode: 200, url: "http://h", headers: fields)))
    for piece in ["ab", "cd", "ef"] { transfer?.send(.body(Data(piece.utf8))) }
    transfer?.send(.finished(nil))
    #expect(outcome.response?.data == Data("abcdef".utf8))
  }

  @Test("fails with the partial response if the transfer fails")
  func failure() {
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    transport.transfers.first?.send(
      .head(ResponseHead(statusCode: 200, url: "http://h", headers: [:])), .body(Data("ab".utf8)),
      .finished(.truncatedBody(reason: "r")))
    #expect(outcome.count == 1)
    #expect(outcome.error?.transferError == .truncatedBody(reason: "r"))
    #expect(outcome.error?.response?.data == Data("ab".utf8))
  }

  @Test("drops the body before the last head")
  func severalHeads() {
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    transport.transfers[0].send(
      .head(ResponseHead(statusCode: 200, url: "http://h", headers: [:])), .body(Data("no".utf8)),
      .head(ResponseHead(statusCode: 204, url: "http://h", headers: [:])), .finished(nil))
    #expect(outcome.summaries == ["204"])
    #expect(outcome.response?.data.isEmpty == true)
  }

  @Test("fails if the transfer ends without a head")
  func headless() {
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    transport.transfers.first?.send(.finished(nil))
    #expect(
      outcome.error?.transferError
        == .badServerResponse(reason: "the transfer ended without a head"))
  }

  @Test("ends if the transport releases the handler")
  func dropped() {
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    transport.transfers.first?.releaseHandler()
    #expect(
      outcome.error?.transferError
        == .connectionLost(reason: "the transport released its handler before the end"))
  }

  @Test("ignores events of the transport after the end")
  func afterTheEnd() {
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    transport.transfers.first?.respond()
    transport.transfers.first?.respond()
    #expect(outcome.count == 1)
  }

  @Test("may get its response before the transport's start returns")
  func synchronousTransport() {
    let transport = ScriptedTransport { $0.respond() }
    NetworkProvider<GitHub>(transport: transport).request(.zen, completion: outcome.completion)
    #expect(outcome.summaries == ["200"])
    #expect(transport.transfers.map(\.cancelCount) == [0])
  }

  @Test("passes a body stream to the transport, which reads it only once")
  func bodyStream() {
    let provider = NetworkProvider<GitHub>(
      requestClosure: { endpoint, done in
        var request = URLRequest(url: URL(staticString: "http://h/x"))
        request.httpBodyStream = InputStream(data: Data("x".utf8))
        done(.success(request))
      }, transport: transport)
    provider.request(.zen, completion: outcome.completion)
    guard case .stream(let body)? = transport.transfers.first?.request.body else {
      Issue.record("no stream")
      return
    }
    #expect(body.length == nil)
    #expect(!body.isRepeatable)
  }

  @Test("keeps the provider alive until it ends, and nothing afterwards")
  func lifetimes() throws {
    final class TrackedObject: Sendable {}
    weak var provider: NetworkProvider<GitHub>?
    weak var canary: TrackedObject?
    let token: any Cancellable
    do {
      let strong = NetworkProvider<GitHub>(transport: transport)
      let captured = TrackedObject()
      provider = strong
      canary = captured
      token = strong.request(.zen) { _ in withExtendedLifetime(captured) {} }
    }
    #expect(provider != nil)
    #expect(canary != nil)
    transport.transfers.first?.respond()
    #expect(provider == nil)
    #expect(canary == nil)
    #expect(!token.isCancelled)
  }
}

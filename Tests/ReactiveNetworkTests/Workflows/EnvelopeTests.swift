import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("Envelopes", .timeLimit(.minutes(5)))
struct EnvelopeTests {
  private struct User: Decodable, Equatable {
    let name: String
  }

  private func response(_ json: String) -> Response { Response(statusCode: 200, data: Data(json.utf8)) }

  @Test(
    "contain the value",
    arguments: [
      #"{"code": 0, "data": {"name": "ash"}}"#, #"{"code": "200", "data": {"name": "ash"}, "message": "ok"}"#,
    ])
  func success(json: String) throws {
    #expect(try Envelope().unwrap(User.self, from: response(json)) == User(name: "ash"))
  }

  @Test("fail if they have another code, after calling the handler")
  func refusal() async throws {
    let server = try LoopbackServer { _ in .json(#"{"code": 4000, "message": "sign in", "data": null}"#) }
    let codes = Lock([Int]())
    let envelope = Envelope { refusal in codes.withLock { $0.append(refusal.code) } }
    let result = await NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/"))
      .unwrapEnvelope(User.self, envelope).map(\.name).result()
    let error = #expect(throws: EnvelopeRefusal.self) { try result.get() }
    #expect(error?.code == 4000)
    #expect(error?.message == "sign in")
    #expect(error?.response.statusCode == 200)
    #expect(error?.errorDescription == "The response has the code 4000: sign in")
    #expect(codes.withLock { $0 } == [4000])
  }

  @Test("can have other key paths, and may have no content")
  func keyPaths() throws {
    let other = response(#"{"status": {"code": 0}, "result": {"user": {"name": "ash"}}}"#)
    #expect(
      try Single.just(other).unwrapEnvelope(User.self, code: "status.code", data: "result.user")
        .toBlocking().single() == User(name: "ash"))
    _ = try Envelope().unwrap(EmptyBodyResponse.self, from: response(#"{"code": 0}"#))
  }

  @Test("can have other success codes, another key for the message, and another decoder")
  func choices() throws {
    let envelope = Envelope(message: "text", successCodes: [7])
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let date = try Single.just(response(#"{"code": 7, "data": 5}"#))
      .unwrapEnvelope(Date.self, envelope, using: decoder).toBlocking().single()
    #expect(date == Date(timeIntervalSince1970: 5))
    for (json, words) in [
      (#"{"code": 0, "text": "no"}"#, "The response has the code 0: no"),
      (#"{"code": 200, "message": "no"}"#, "The response has the code 200."),
    ] {
      let error = #expect(throws: EnvelopeRefusal.self) {
        try envelope.unwrap(Int.self, from: response(json))
      }
      #expect(error?.errorDescription == words)
    }
  }

  @Test(
    "fail like other bodies if they are malformed",
    arguments: ["", "[]", "{}", #"{"code": "x"}"#, #"{"code": 0}"#, #"{"code": 0, "data": 7}"#])
  func malformed(json: String) {
    #expect(throws: NetworkError.self) { try Envelope().unwrap(User.self, from: response(json)) }
  }
}

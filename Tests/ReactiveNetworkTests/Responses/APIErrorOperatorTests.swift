import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("Typed errors of reactive requests", .timeLimit(.minutes(5)))
struct APIErrorOperatorTests {
  private struct Problem: Decodable, Equatable, Sendable {
    let title: String
  }

  private struct User: Decodable, Equatable, Sendable {
    let name: String
  }

  private let provider = NetworkProvider<LoopbackTarget>()

  private func server() throws -> LoopbackServer {
    try LoopbackServer { request in
      switch request.path {
      case "/user": .json(#"{"name": "ash"}"#)
      case "/other": .json("[1]")
      case "/missing": .json(#"{"title": "nobody"}"#, status: 404)
      case "/broken": .status(500)
      default: .close
      }
    }
  }

  @Test("value(_:as:) decodes a success and rejects another status")
  func value() async throws {
    let server = try server()
    let user = await provider.rx.value(LoopbackTarget(server, "/user"), as: User.self).result()
    #expect(try user.get() == User(name: "ash"))
    let missing = await provider.rx.value(LoopbackTarget(server, "/missing"), as: User.self).result()
    #expect(missing.networkError?.response?.statusCode == 404)
  }

  @Test("value(_:as:using:) decodes with the caller's decoder")
  func decoder() async throws {
    let server = try LoopbackServer { _ in .json("5") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let date = await provider.rx.value(LoopbackTarget(server, "/"), as: Date.self, using: decoder).result()
    #expect(try date.get() == Date(timeIntervalSince1970: 5))
  }

  @Test("mapError(to:) leaves errors of the API unchanged and wraps errors of other origin")
  func others() throws {
    func mapped(_ error: any Error) throws -> APIError<Problem> {
      let single = Single<Int>.error(error).mapError(to: Problem.self).toBlocking()
      return try #require(throws: APIError<Problem>.self) { try single.single() }
    }
    #expect(try mapped(APIError<Problem>.serverError(statusCode: 503)) == .serverError(statusCode: 503))
    let unchanged = NetworkError.statusCode(Response(statusCode: 304, data: Data()))
    #expect(try mapped(unchanged) == .unexpectedStatusCode(statusCode: 304))
    guard case .noResponseReceived(.underlying(let reason, nil)) = try mapped(RxError.noElements) else {
      Issue.record("an error of a sequence is not a response")
      return
    }
    #expect(reason is RxError)
    #expect(try mapped(CancellationError()).isCancelled)
  }

  @Test("mapError(to:using:) of a single decodes the error with the caller's decoder")
  func errorDecoder() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let refused = NetworkError.statusCode(Response(statusCode: 404, data: Data("5".utf8)))
    let single = Single<Int>.error(refused).mapError(to: Date.self, using: decoder).toBlocking()
    let error = try #require(throws: APIError<Date>.self) { try single.single() }
    #expect(error == .clientError(statusCode: 404, clientError: Date(timeIntervalSince1970: 5)))
  }

  @Test("decodeClientError(as:using:) of a single decodes the error with the caller's decoder")
  func clientErrorDecoder() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let refused = Response(statusCode: 404, data: Data("5".utf8))
    let single = Single.just(refused).decodeClientError(as: Date.self, using: decoder).toBlocking()
    let error = try #require(throws: APIError<Date>.self) { try single.single() }
    #expect(error == .clientError(statusCode: 404, clientError: Date(timeIntervalSince1970: 5)))
  }

  @Test("mapError(to:) keeps a network error unchanged")
  func networkError() throws {
    let lost = NetworkError.underlying(TransferError.timedOut(after: .seconds(1)), nil)
    let single = Single<Int>.error(lost).mapError(to: Problem.self).toBlocking()
    let error = try #require(throws: APIError<Problem>.self) { try single.single() }
    guard case .noResponseReceived(let kept) = error else {
      Issue.record(error)
      return
    }
    #expect(kept.transferError == .timedOut(after: .seconds(1)))
  }

  @Test("mapError(to:) does not take a body without the wanted value for a missing response")
  func unreadableBody() throws {
    let response = Single.just(Response(statusCode: 200, data: Data("{}".utf8)))
    let value = response.map(Int.self, atKeyPath: "a").mapError(to: Problem.self).toBlocking()
    let text = response.mapString(atKeyPath: "a").mapError(to: Problem.self).toBlocking()
    let ofValue = try #require(throws: APIError<Problem>.self) { try value.single() }
    let ofText = try #require(throws: APIError<Problem>.self) { try text.single() }
    let types = [ofValue, ofText].map { error -> String? in
      guard case .responseDataConversionFailed(let type, is NetworkError) = error else { return nil }
      return type
    }
    #expect(types == ["Int", "String"])
  }

  @Test("mapError(to:) converts each error to an APIError")
  func mapError() async throws {
    let server = try server()
    func error(_ path: String) async -> APIError<Problem>? {
      let result = await provider.rx.value(LoopbackTarget(server, path), as: User.self).mapError(
        to: Problem.self
      )
      .result()
      guard case .failure(let error) = result else { return nil }
      return error as? APIError<Problem>
    }
    #expect(await error("/missing") == .clientError(statusCode: 404, clientError: Problem(title: "nobody")))
    #expect(await error("/broken") == .serverError(statusCode: 500))
    #expect(await error("/user") == nil)
    if case .responseDataConversionFailed(let type, _) = await error("/other") {
      #expect(type == "User")
    } else {
      Issue.record("an array is not a user")
    }
    guard case .noResponseReceived = await error("/gone") else {
      Issue.record("the connection was closed without a response")
      return
    }
  }

  @Test("decodeClientError(as:) forwards other responses")
  func decodeClientError() async throws {
    let server = try server()
    let missing = await provider.rx.request(LoopbackTarget(server, "/missing")).decodeClientError(
      as: Problem.self
    )
    .result()
    #expect(throws: APIError<Problem>.clientError(statusCode: 404, clientError: Problem(title: "nobody"))) {
      try missing.get()
    }
    for (path, status) in [("/user", 200), ("/broken", 500)] {
      let other = await provider.rx.request(LoopbackTarget(server, path)).decodeClientError(as: Problem.self)
        .result()
      #expect(try other.get().statusCode == status)
    }
  }
}

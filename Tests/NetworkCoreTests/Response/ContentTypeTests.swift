import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Media types of responses")
struct ContentTypeTests {
  private struct MediaTypeTarget: TargetType {
    var acceptableContentTypes: [String]?
    var validationType = ValidationType.none
    var baseURL: URL { URL(staticString: "http://h") }
    var path: String { "" }
  }

  private static let rows = ValidationVectorKind.contentType.vectors

  @Test("are checked on responses and by targets according to the test vectors", arguments: rows)
  func row(_ vector: TestVector) throws {
    let acceptable = try #require(vector.input.acceptable.array).compactMap(\.string)
    let type = vector.input.responseContentType.string
    let body = vector.input.bodyEmpty == .bool(true) ? "" : "x"
    let outcome = CompletionRecorder()
    let transport = ScriptedTransport { transfer in
      transfer.respond(headers: type.map { ["Content-Type": $0] } ?? [:], body)
    }
    NetworkProvider<MediaTypeTarget>(transport: transport)
      .request(MediaTypeTarget(acceptableContentTypes: acceptable), completion: outcome.completion)
    #expect(name(of: outcome.error) == vector.expected.string?.prefix { $0 != "(" }.description)
    let plain = CompletionRecorder()
    NetworkProvider<MediaTypeTarget>(transport: transport).request(
      MediaTypeTarget(), completion: plain.completion)
    let response = try #require(plain.response)
    if outcome.error == nil {
      #expect(try response.filter(contentTypes: acceptable) === response)
    } else {
      let error = #expect(throws: NetworkError.self) { try response.filter(contentTypes: acceptable) }
      #expect(error.map { name(of: $0) } == name(of: outcome.error))
      #expect(error?.response === response)
    }
  }

  private func name(of error: NetworkError?) -> String {
    guard let error else { return "valid" }
    guard case .underlying(let reason as ContentTypeError, _) = error else { return "\(error)" }
    return switch reason {
    case .missing: "missingContentType"
    case .unacceptable: "unacceptableContentType"
    }
  }

  @Test(
    "are parsed according to the test vectors", arguments: ValidationVectorKind.mediaType.vectors)
  func mediaType(_ vector: TestVector) throws {
    let type = MediaType(try #require(vector.input["string"].string))
    #expect(type?.type == vector.expected.type.string)
    #expect(type?.subtype == vector.expected.subtype.string)
  }

  @Test("are compared without parameters, ignoring case")
  func parameters() {
    #expect(MediaType("Text/HTML; charset=utf-8").map { "\($0)" } == "text/html")
    #expect(MediaType("a/b/c") == nil)
    #expect(MediaType("/b") == nil)
    // A combining mark after the slash.
    #expect(MediaType("a/ \u{301}")?.description.unicodeScalars.count == 3)
    #expect(MediaType(MediaType("a/ \u{301}")?.description ?? "") == MediaType("a/ \u{301}"))
  }

  @Test("the first reason to refuse a response counts, and the error lists the expected types")
  func order() {
    let transport = ScriptedTransport { $0.respond(400, headers: ["Content-Type": "a/b"], "x") }
    let outcome = CompletionRecorder()
    NetworkProvider<MediaTypeTarget>(transport: transport).request(
      MediaTypeTarget(acceptableContentTypes: ["c/d"], validationType: .successCodes),
      completion: outcome.completion)
    #expect(outcome.summaries == ["bad 400"])
    NetworkProvider<MediaTypeTarget>(transport: transport)
      .request(MediaTypeTarget(acceptableContentTypes: ["e/f", "c/d"]), completion: outcome.completion)
    guard case .underlying(let error as ContentTypeError, _)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect(error == .unacceptable("a/b", acceptable: ["c/d", "e/f"]))
    #expect(error.localizedDescription == #"The Content-Type of the response is "a/b"; expected c/d, e/f."#)
    #expect(
      ContentTypeError.missing(acceptable: ["c/d"]).localizedDescription
        == "The response has no Content-Type; expected c/d.")
  }

  @Test("an empty body is valid, but a stub with a body and without header fields is not")
  func stubs() {
    for (sample, expected) in [(Data(), "valid"), (Data("x".utf8), "missingContentType")] {
      struct SampleTarget: TargetType {
        let sampleData: Data
        var acceptableContentTypes: [String]? { ["a/b"] }
        var baseURL: URL { URL(staticString: "http://h") }
        var path: String { "" }
      }
      let outcome = CompletionRecorder()
      NetworkProvider<SampleTarget>(stubClosure: MoyaProvider.immediatelyStub)
        .request(SampleTarget(sampleData: sample), completion: outcome.completion)
      #expect(name(of: outcome.error) == expected)
    }
  }
}

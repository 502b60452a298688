import Foundation
import MoyaCompatibility
import NetworkCore
import Testing

@Suite("NetworkError")
struct NetworkErrorTests {
  private static let response = Response(statusCode: 500, data: Data())
  private static let cause = TransferError.timedOut(after: .seconds(3))
  private static let all: [NetworkError] = [
    .imageMapping(response), .jsonMapping(response), .stringMapping(response),
    .objectMapping(cause, response),
    .encodableMapping(cause), .statusCode(response), .underlying(cause, response),
    .requestMapping("http://["),
    .parameterEncoding(cause),
  ]

  @Test("the error codes are 0 to 8, in the order of the cases")
  func codes() {
    #expect(Self.all.map(\.errorCode) == Array(0...8))
    #expect(Self.all.map { ($0 as NSError).code } == Array(0...8))
  }

  @Test("each case that contains a response returns it")
  func response() {
    #expect(Self.all.map { $0.response != nil } == [true, true, true, true, false, true, true, false, false])
  }

  @Test("the user info contains the underlying error and the response body, if there are any")
  func userInfo() {
    let causes = Self.all.map { $0.errorUserInfo[NSUnderlyingErrorKey] as? TransferError }
    #expect(causes == [nil, nil, nil, Self.cause, Self.cause, nil, Self.cause, nil, Self.cause])
    #expect(Self.all.map { $0.underlyingError as? TransferError } == causes)
    let body = Data("body".utf8)
    let info = NetworkError.statusCode(Response(statusCode: 500, data: body)).errorUserInfo
    #expect(info["data"] as? Data == body)
  }

  @Test("the domain is that of the module, and the user info of each case contains its description")
  func domain() {
    #expect(NetworkError.errorDomain == "NetworkCore.NetworkError")
    for error in Self.all {
      #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == error.errorDescription)
    }
  }

  @Test("each case describes what happened")
  func descriptions() {
    #expect(Set(Self.all.map(\.localizedDescription)).count == Self.all.count)
    #expect(
      NetworkError.requestMapping("http://[").localizedDescription
        == #"Failed to map Endpoint to a URLRequest. "http://[" is not a URL."#)
    #expect(
      NetworkError.statusCode(Self.response).localizedDescription
        == "Status code didn't fall within the given range. It is 500.")
    #expect(NetworkError.underlying(Self.cause, nil).localizedDescription == Self.cause.localizedDescription)
  }

  @Test("each text begins with Moya's sentence")
  func sentences() throws {
    let sentences = [
      "Failed to map data to an Image.", "Failed to map data to JSON.", "Failed to map data to a String.",
      "Failed to map data to a Decodable object.", "Failed to encode Encodable object into data.",
      "Status code didn't fall within the given range.", Self.cause.localizedDescription,
      "Failed to map Endpoint to a URLRequest.",
      "Failed to encode parameters for URLRequest. \(Self.cause.localizedDescription)",
    ]
    for (error, sentence) in zip(Self.all, sentences) {
      #expect(error.errorDescription?.hasPrefix(sentence) == true, "\(error)")
      #expect((error as NSError).localizedDescription == error.errorDescription)
    }
  }

  @Test("only a cancelled transfer is cancelled")
  func cancelled() {
    #expect(NetworkError.cancelled.isCancelled)
    #expect(Self.all.filter(\.isCancelled).isEmpty)
    #expect(NetworkError.cancelled.transferError == .cancelled)
    #expect(NetworkError.underlying(Self.cause, nil).transferError == Self.cause)
    #expect(NetworkError.encodableMapping(Self.cause).transferError == nil)
  }

  @Test("only failures that a retry may avoid are transient")
  func transient() {
    for (error, isTransient) in [
      (.underlying(Self.cause, nil), true), (.underlying(URLError(.timedOut), nil), true),
      (.underlying(NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut), nil), true),
      (.underlying(NSError(domain: "d", code: NSURLErrorTimedOut), nil), false),
      // Without a code of Foundation, the status decides.
      (.underlying(TransferError.other(code: 1, reason: ""), Response(statusCode: 503, data: Data())), true),
      (.statusCode(Response(statusCode: 503, data: Data())), true),
      (.statusCode(Response(statusCode: 404, data: Data())), false), (.cancelled, false),
      (.requestMapping("x"), false), (.underlying(WebSocketError.noPong(after: .seconds(1)), nil), true),
      (.underlying(WebSocketError.closed(code: .serviceRestart, reason: ""), nil), true),
      // A gateway got an invalid response.
      (.underlying(WebSocketError.closed(code: WebSocketCloseCode(rawValue: 1014), reason: ""), nil), true),
      (.underlying(WebSocketError.closed(code: .policyViolation, reason: ""), nil), false),
      (.underlying(WebSocketError.closed(code: nil, reason: ""), nil), false),
    ] as [(NetworkError, Bool)] {
      #expect(error.isTransient == isTransient, "\(error)")
    }
  }

  @Test(
    "of the closes of a WebSocket, only those with 1011 to 1014 are transient",
    arguments: [(1010, false), (1011, true), (1014, true), (1015, false)] as [(UInt16, Bool)])
  func transientCloses(code: UInt16, isTransient: Bool) {
    let closed = WebSocketError.closed(code: WebSocketCloseCode(rawValue: code), reason: "")
    #expect(NetworkError.underlying(closed, nil).isTransient == isTransient)
  }

  @Test(
    "each named code of a close has the number of its registration",
    arguments: [
      (.normalClosure, 1000), (.goingAway, 1001), (.protocolError, 1002), (.unsupportedData, 1003),
      (.invalidPayload, 1007), (.policyViolation, 1008), (.messageTooBig, 1009), (.mandatoryExtension, 1010),
      (.internalError, 1011), (.serviceRestart, 1012), (.tryAgainLater, 1013),
    ] as [(WebSocketCloseCode, UInt16)])
  func closeCodes(code: WebSocketCloseCode, number: UInt16) {
    #expect(code.rawValue == number)
  }

  @Test(
    "the error codes of URLSession are classified in the same way",
    arguments: [
      (.badServerResponse, true), (.cannotConnectToHost, true), (.cannotFindHost, true),
      (.dnsLookupFailed, true), (.networkConnectionLost, true), (.notConnectedToInternet, true),
      (.secureConnectionFailed, true), (.timedOut, true), (.badURL, false), (.cancelled, false),
      (.serverCertificateUntrusted, false), (.httpTooManyRedirects, false),
    ] as [(URLError.Code, Bool)])
  func transientCodes(code: URLError.Code, isTransient: Bool) {
    #expect(NetworkError.underlying(URLError(code), nil).isTransient == isTransient)
  }

  @Test("a switch over Moya's cases is exhaustive")
  func exhaustive() {
    func name(_ error: MoyaError) -> String {
      switch error {
      case .imageMapping: "imageMapping"
      case .jsonMapping: "jsonMapping"
      case .stringMapping: "stringMapping"
      case .objectMapping: "objectMapping"
      case .encodableMapping: "encodableMapping"
      case .statusCode: "statusCode"
      case .underlying: "underlying"
      case .requestMapping: "requestMapping"
      case .parameterEncoding: "parameterEncoding"
      }
    }
    #expect(Set(Self.all.map(name)).count == 9)
  }
}

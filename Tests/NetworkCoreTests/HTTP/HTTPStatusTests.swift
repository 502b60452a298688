import Foundation
import NetworkCore
import Testing

@Suite("HTTPStatus")
struct HTTPStatusTests {
  @Test("has the registered reason phrases")
  func phrases() {
    #expect(HTTPStatus.notFound.code == 404)
    #expect(HTTPStatus(429).reasonPhrase == "Too Many Requests")
    #expect(HTTPStatus.ok.description == "200 OK")
    #expect(HTTPStatus(299).description == "299")
    #expect(HTTPStatus.uriTooLong.reasonPhrase == "URI Too Long")
    #expect((100..<600).count { !HTTPStatus($0).reasonPhrase.isEmpty } == 60)
  }

  @Test("each constant has its number and reason phrase from IANA's registry")
  func registry() {
    let registry: [(HTTPStatus, String)] = [
      (.continue, "100 Continue"), (.switchingProtocols, "101 Switching Protocols"),
      (.processing, "102 Processing"), (.earlyHints, "103 Early Hints"), (.ok, "200 OK"),
      (.created, "201 Created"), (.accepted, "202 Accepted"),
      (.nonAuthoritativeInformation, "203 Non-Authoritative Information"), (.noContent, "204 No Content"),
      (.resetContent, "205 Reset Content"), (.partialContent, "206 Partial Content"),
      (.multiStatus, "207 Multi-Status"), (.alreadyReported, "208 Already Reported"),
      (.imUsed, "226 IM Used"), (.multipleChoices, "300 Multiple Choices"),
      (.movedPermanently, "301 Moved Permanently"), (.found, "302 Found"), (.seeOther, "303 See Other"),
      (.notModified, "304 Not Modified"), (.useProxy, "305 Use Proxy"),
      (.temporaryRedirect, "307 Temporary Redirect"), (.permanentRedirect, "308 Permanent Redirect"),
      (.badRequest, "400 Bad Request"), (.unauthorized, "401 Unauthorized"),
      (.paymentRequired, "402 Payment Required"), (.forbidden, "403 Forbidden"),
      (.notFound, "404 Not Found"), (.methodNotAllowed, "405 Method Not Allowed"),
      (.notAcceptable, "406 Not Acceptable"),
      (.proxyAuthenticationRequired, "407 Proxy Authentication Required"),
      (.requestTimeout, "408 Request Timeout"), (.conflict, "409 Conflict"), (.gone, "410 Gone"),
      (.lengthRequired, "411 Length Required"), (.preconditionFailed, "412 Precondition Failed"),
      (.contentTooLarge, "413 Content Too Large"), (.uriTooLong, "414 URI Too Long"),
      (.unsupportedMediaType, "415 Unsupported Media Type"),
      (.rangeNotSatisfiable, "416 Range Not Satisfiable"), (.expectationFailed, "417 Expectation Failed"),
      (.misdirectedRequest, "421 Misdirected Request"), (.unprocessableContent, "422 Unprocessable Content"),
      (.locked, "423 Locked"), (.failedDependency, "424 Failed Dependency"), (.tooEarly, "425 Too Early"),
      (.upgradeRequired, "426 Upgrade Required"), (.preconditionRequired, "428 Precondition Required"),
      (.tooManyRequests, "429 Too Many Requests"),
      (.requestHeaderFieldsTooLarge, "431 Request Header Fields Too Large"),
      (.unavailableForLegalReasons, "451 Unavailable For Legal Reasons"),
      (.internalServerError, "500 Internal Server Error"), (.notImplemented, "501 Not Implemented"),
      (.badGateway, "502 Bad Gateway"), (.serviceUnavailable, "503 Service Unavailable"),
      (.gatewayTimeout, "504 Gateway Timeout"), (.httpVersionNotSupported, "505 HTTP Version Not Supported"),
      (.variantAlsoNegotiates, "506 Variant Also Negotiates"),
      (.insufficientStorage, "507 Insufficient Storage"), (.loopDetected, "508 Loop Detected"),
      (.networkAuthenticationRequired, "511 Network Authentication Required"),
    ]
    #expect(registry.count == 60)
    for (status, text) in registry { #expect(status.description == text) }
  }

  @Test(
    "the first digit determines the category",
    arguments: [
      (99, nil), (100, .informational), (204, .success), (307, .redirection), (499, .clientError),
      (599, .serverError), (600, nil), (-200, nil),
    ] as [(HTTPStatus, HTTPStatus.Category?)])
  func category(status: HTTPStatus, category: HTTPStatus.Category?) {
    #expect(status.category == category)
  }

  @Test("a response has a status")
  func response() {
    #expect(Response(statusCode: 418, data: Data()).status == 418)
  }
}

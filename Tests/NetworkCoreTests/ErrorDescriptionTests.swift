import Foundation
import NetworkCore
import Testing

@Suite("Descriptions of errors")
struct ErrorDescriptionTests {
  @Test(
    "a description names the values of its error and what helps",
    arguments: [
      (RefreshCycleError(refresher: "R"), ["R", "without refreshingToken(with:)"]),
      (RefreshTimeoutError(refresher: "R", limit: .seconds(3)), ["R", "3.0 s", "Raise longestRefresh"]),
      (AuthenticationError.missingCredential, ["no credential is set"]),
      (AuthenticationError.excessiveRefresh, ["too often within the refresh window"]),
      (WebSocketError.unsupportedByTransport, ["`CurlTransport` does"]),
      (WebSocketError.protocolViolation(code: .protocolError, reason: "a mask"), ["a mask", "1002"]),
      (WebSocketError.messageTooLong(limit: 7), ["more than 7 bytes", "messageLimit"]),
      (WebSocketError.sendQueueFull(limit: 8), ["More than 8 bytes", "sendQueueLimit"]),
      (StreamError.undecodableMessage(number: 4, text: "x", reason: "no"), ["Message 4", "\"x\"", "no"]),
      (WaitingError.tooManyWait(limit: 9), ["9 callbacks", "callbackQueue"]),
      (DownloadError.unexpectedRange("bytes=1-"), ["\"bytes=1-\"", "sets Range itself"]),
      (MultipartError.unsupportedMethod(.get), ["A GET request", "use POST, PUT or PATCH"]),
      (ResumeObstacle.rangeIgnored, ["ignored the range", "cannot be resumed"]),
    ] as [(any Error, [String])])
  func values(error: any Error, parts: [String]) {
    for part in parts {
      #expect(error.localizedDescription.contains(part), "\(error.localizedDescription)")
    }
  }

  @Test("the description of a pin that is none names it")
  func pin() {
    let error = #expect(throws: PublicKeyPinError.self) { try PublicKeyPin("sha256//no") }
    #expect(error?.localizedDescription.hasPrefix("\"sha256//no\" is not a public-key pin") == true)
  }
}

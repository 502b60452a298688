import Foundation
import NetworkCore
import Testing

@Suite("TransferError as URLError")
struct TransferErrorTests {
  @Test(
    "each error has the code that URLSession would use, or none",
    arguments: [
      (.cancelled, .cancelled), (.timedOut(.total, after: .seconds(1)), .timedOut),
      (.cannotFindHost("h"), .cannotFindHost),
      (.cannotConnect(url: "u", reason: "r"), .cannotConnectToHost),
      (.connectionLost(reason: "r"), .networkConnectionLost),
      (.truncatedBody(reason: "r"), .networkConnectionLost),
      (.secureConnectionFailed(reason: "r"), .secureConnectionFailed),
      (.certificate(problem: .expired, host: "h", reason: "r"), .serverCertificateUntrusted),
      (.badServerResponse(reason: "r"), .badServerResponse),
      (.tooManyRedirects(limit: 16), .httpTooManyRedirects), (.unsupportedURL("u"), .unsupportedURL),
      (.notStored(url: "u"), .resourceUnavailable), (.invalidField(name: "a", value: "b"), nil),
      (.responseTooLarge(limit: 1), nil), (.other(code: 1, reason: "r"), nil),
    ] as [(TransferError, URLError.Code?)])
  func codes(error: TransferError, code: URLError.Code?) {
    #expect(error.urlErrorCode == code)
    #expect((error as NSError).domain == NSURLErrorDomain)
    #expect((error as NSError).localizedDescription == error.errorDescription)
    #expect((error as NSError).code == code?.rawValue ?? NSURLErrorUnknown)
  }

  @Test(
    "the sentence of an error names what happened",
    arguments: [
      (.timedOut(.connect, after: .seconds(2)), "No connection within 2.0 s."),
      (.timedOut(.firstByte, after: .seconds(2)), "No response within 2.0 s."),
      (.timedOut(.total, after: .seconds(2)), "The transfer did not end within 2.0 s."),
      (
        .wrongBodyLength(announced: 5, actual: 4),
        "The body to send was announced with 5 bytes and has 4."
      ),
      (
        .wrongBodyLength(announced: 5, actual: 6),
        "The body to send was announced with 5 bytes and has 6 or more."
      ),
    ] as [(TransferError, String)])
  func sentences(error: TransferError, sentence: String) {
    #expect(error.localizedDescription == sentence)
  }

  @Test(
    "the text of a problem of a certificate names it",
    arguments: [
      (.expired, "the certificate has expired"), (.notYetValid, "the certificate is not valid yet"),
      (.wrongHost, "the certificate is for another host"),
      (.unknownIssuer, "the certificate's issuer is unknown"),
      (.selfSigned, "the certificate is self-signed"), (.revoked, "the certificate has been revoked"),
      (.noStatus, "the server does not prove that its certificate has not been revoked"),
      (.pinMismatch, "the server's key matches none of the pinned keys"),
      (.noPolicy, "the host has no usable policy"),
      (.unusableIdentity, "the client's certificate cannot be used"),
      (.identityRejected, "the server does not accept the client's certificate"),
      (.other, "the certificate was not accepted"),
    ] as [(CertificateProblem, String)])
  func problems(problem: CertificateProblem, text: String) {
    #expect(problem.description == text)
  }
}

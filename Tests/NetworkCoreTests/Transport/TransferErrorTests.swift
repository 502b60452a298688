import Foundation
import NetworkCore
import Testing

@Suite("TransferError as URLError")
struct TransferErrorTests {
  @Test(
    "each error has the code that URLSession would use, or none",
    arguments: [
      (.cancelled, .cancelled), (.timedOut(.total, after: 1), .timedOut),
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
}

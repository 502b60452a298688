import Foundation
import NetworkCore
import Testing

@Suite("Early data", .timeLimit(.minutes(5)))
struct EarlyDataTests {
  private static let configuration: CurlConfiguration = {
    var configuration = CurlConfiguration()
    configuration.tls.sendsEarlyData = true
    return configuration
  }()

  private static let isAvailable =
    InstalledProgram.canServeTLS && (try? CurlTransport(configuration: configuration)) != nil

  @Test(
    "a GET on a resumed connection is sent as early data, a POST is not",
    .enabled(if: isAvailable, "needs nginx, openssl and libcurl 8.16"))
  func methods() async throws {
    let authority = try CertificateAuthority()
    var configuration = Self.configuration
    configuration.tls.authorities = .data(authority.root.pem)
    let transport = try CurlTransport(configuration: configuration)
    let server = try OpenSSLServer(authority.issue(), version: "http/1.1", takesEarlyData: true)
    var early: [Int] = []
    for (index, method) in [HTTPMethod.get, .get, .post, .get].enumerated() {
      let (transfer, recorder) = transport.record(.init(method: method, url: server.origin + "/\(index)"))
      try server.waitToReceive("\(method.rawValue) /\(index) HTTP/1.1")
      server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      let events = await recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.status == 200)
      early.append(server.count("Early data received:"))
      withExtendedLifetime(transfer) {}
    }
    #expect(early == [0, 1, 1, 2])
  }

  @Test("a libcurl without early data makes the configuration fail")
  func lacking() throws {
    let library = try CurlLibrary(names: CurlLibrary.names, unsupportedOptions: ["CURLSSLOPT_EARLYDATA"])
    let error = #expect(throws: CurlConfigurationError.self) {
      try CurlTransport(library: library, configuration: Self.configuration)
    }
    guard case .unsupported("CURLSSLOPT_EARLYDATA", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

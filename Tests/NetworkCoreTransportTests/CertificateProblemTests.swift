import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Problems of certificates", .timeLimit(.minutes(5)))
struct CertificateProblemTests {
  #if os(Linux)
    // Libraries of different origin call each other's functions if one of them gives its symbols no versions.
    private static let hasGnuTLS: Bool = {
      let versions = [["libcurl-gnutls.so.4"], CurlLibrary.names].map { names in
        (try? CurlLibrary(names: names))?.version.prefix { $0 != " " }
      }
      return versions[0] != nil && versions[0] == versions[1]
    }()

    @Test(
      "GnuTLS has numbers of its own for the problems",
      .enabled(if: hasGnuTLS, "there is no libcurl for GnuTLS beside the one in use"))
    func gnuTLS() async {
      await #expect(processExitsWith: .success) {
        let library = try CurlLibrary(names: ["libcurl-gnutls.so.4"])
        let folder = try TemporaryFolder()
        let expected: [(LoopbackServer.TLS.Flaw, CertificateProblem)] = [
          (.expired, .expired), (.notYetValid, .notYetValid), (.wrongHost, .wrongHost),
          (.selfSigned, .unknownIssuer),
        ]
        for (flaw, problem) in expected {
          let server = try LoopbackServer(tls: .generated(flaw: flaw))
          var configuration = CurlConfiguration()
          configuration.tls.authorities = .file(try folder.file(containing: server.authority).path)
          let transport = try CurlTransport(library: library, configuration: configuration)
          guard
            case .certificate(problem, "127.0.0.1", _)? = await transport.exchange(.init(url: server.origin))
              .error
          else {
            Issue.record("another error for \(problem)")
            return
          }
        }
      }
    }
  #endif

  /// Returns the error of a request that a server rejects with an alert, in response to the client's hello.
  private func errorOfAlert(_ number: UInt8) async throws -> TransferError? {
    let server = try RawServer { stream, _ in
      _ = stream.read(5)
      stream.write([0x15, 3, 3, 0, 2, 2, number])
      // Unread bytes would make the system discard the alert.
      while stream.readAvailable(upTo: 1_024) != nil {}
    }
    return await (try CurlTransport()).exchange(.init(url: "https://127.0.0.1:\(server.port)/")).error
  }

  @Test(
    "an alert about a certificate in the handshake is about the client's",
    arguments: [42, 43, 44, 45, 46, 48, 116] as [UInt8])
  func certificateAlert(number: UInt8) async throws {
    let error = try await errorOfAlert(number)
    guard case .certificate(.identityRejected, "127.0.0.1", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "an alert about something else in the handshake is no problem of a certificate",
    arguments: [40, 47, 49, 120] as [UInt8])
  func otherAlert(number: UInt8) async throws {
    let error = try await errorOfAlert(number)
    guard case .secureConnectionFailed? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a chain that ends with an unknown authority is reported as self-signed")
  func chain() async throws {
    var tls = LoopbackServer.TLS.generated
    // The server then sends its authority's certificate too.
    tls.staplesStatus = true
    let server = try LoopbackServer(tls: tls)
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    guard case .certificate(.selfSigned, "127.0.0.1", _)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }
}

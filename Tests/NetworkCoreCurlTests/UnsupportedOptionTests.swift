import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Options that an older libcurl does not support", .timeLimit(.minutes(5)))
struct UnsupportedOptionTests {
  /// Decides only when a host is requested, so that the option cannot be tested in advance.
  private final class OnDemandTrustManager: ServerTrustManager, @unchecked Sendable {
    let evaluator: any ServerTrustEvaluating

    init(_ evaluator: any ServerTrustEvaluating) {
      self.evaluator = evaluator
      super.init(evaluators: [:])
    }

    override func serverTrustEvaluator(forHost host: String) -> (any ServerTrustEvaluating)? { evaluator }
  }

  @Test(
    "a missing option for trust ends each request before anything is sent",
    arguments: ["CURLOPT_PINNEDPUBLICKEY", "CURLOPT_CAINFO_BLOB"])
  func trust(option: String) async throws {
    // A connection alone would already be a failure.
    let server = try LoopbackServer { _ in .text("ok") }
    let library = try CurlLibrary(names: CurlLibrary.names, unsupportedOptions: [option])
    let pem = try String(decoding: LoopbackServer(tls: .generated).authority, as: UTF8.self)
    let pin = try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
    let evaluator: any ServerTrustEvaluating =
      option == "CURLOPT_PINNEDPUBLICKEY"
      ? PublicKeysTrustEvaluator(keys: [pin])
      : PinnedCertificatesTrustEvaluator(certificates: try Certificate.certificates(pem: pem))
    var configuration = CurlConfiguration()
    configuration.serverTrustManager = OnDemandTrustManager(evaluator)
    let transport = try CurlTransport(library: library, configuration: configuration)
    for _ in 0..<3 {
      let events = await transport.exchange(.init(url: "https://127.0.0.1:\(server.port)"))
      guard case .certificate(.noPolicy, "127.0.0.1", let reason)? = events.error else {
        Issue.record("\(String(describing: events.error))")
        continue
      }
      #expect(reason.hasPrefix("\(option) cannot be set: libcurl/"))
    }
    #expect(server.log.connectionsAccepted == 0)
    // The handle still works for other requests.
    #expect(await transport.exchange(.init(url: server.origin)).body == Data("ok".utf8))
  }

  @Test("options that can be tested in advance make the configuration fail")
  func configuration() throws {
    let library = try CurlLibrary(names: CurlLibrary.names, unsupportedOptions: ["CURLOPT_CAINFO_BLOB"])
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(try LoopbackServer(tls: .generated).authority)
    let error = #expect(throws: CurlConfigurationError.self) {
      try CurlTransport(library: library, configuration: configuration)
    }
    guard case .unsupported(let option, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(option == "CURLOPT_CAINFO_BLOB")
  }

  @Test("a libcurl without a cache of authorities needs no time for it")
  func cacheOfAuthorities() async throws {
    let server = try LoopbackServer(tls: .generated) { _ in .text("ok") }
    let library = try CurlLibrary(
      names: CurlLibrary.names, unsupportedOptions: ["CURLOPT_CA_CACHE_TIMEOUT"])
    let folder = try TemporaryFolder()
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .file(try folder.file(containing: server.authority).path)
    let transport = try CurlTransport(library: library, configuration: configuration)
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    withExtendedLifetime(folder) {}
  }
}

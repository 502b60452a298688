import Foundation
import NetworkCore
import Testing
import TransportTesting

private enum Examples {
  enum API: TargetType {
    case zen

    var baseURL: URL { URL(string: "https://api.example.com")! }
    var path: String { "/zen" }
  }

  static func basics() throws -> NetworkProvider<API> {
    var configuration = CurlConfiguration()
    configuration.timeouts.total = 30
    configuration.httpVersion = .http1_1
    let transport = try CurlTransport(configuration: configuration)
    let provider = NetworkProvider<API>(transport: transport)
    return provider
  }

  static func others() throws -> CurlConfiguration {
    var configuration = CurlConfiguration()
    let pins = [try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
    let evaluators: [String: any ServerTrustEvaluating] = [
      "api.example.com": PublicKeysTrustEvaluator(keys: pins),
      "*.example.org": PinnedCertificatesTrustEvaluator(certificates: Certificate.bundled()),
    ]
    configuration.serverTrustManager = ServerTrustManager(evaluators: evaluators)
    configuration.names.overrides = [.init(host: "api.example.com", port: 443, addresses: ["192.0.2.7"])]
    configuration.redirects = .modify { next, response in
      response.headers["X-Stay"] == nil ? next : nil
    }
    configuration.proxy = .proxy(.init(.socks5, host: "127.0.0.1", port: 1080))
    configuration.cookies = .memory
    configuration.credentials["intranet.example.com"] = .digest(user: "me", password: "secret")
    return configuration
  }

  static func caching(_ folder: URL) throws -> CachingTransport {
    let cache = try HTTPCache(memoryCapacity: 4 << 20, diskCapacity: 50 << 20, directory: folder)
    let caching = CachingTransport(try CurlTransport(), cache: cache)
    return caching
  }

  struct RequestIDs: TransportLayer {
    let wrapped: any Transport

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      wrapped.addedCredentials(to: request)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      request.headers.update(name: "X-Request-ID", value: UUID().uuidString)
      return wrapped.start(request, handler: handler)
    }
  }

  static func contract() async -> [TransportContract.Violation] {
    let contract = TransportContract { RequestIDs(wrapped: try CurlTransport()) }
    let violations = await contract.violations()
    return violations
  }
}

@Suite("Examples in Transports", .timeLimit(.minutes(5)))
struct TransportsTests {
  @Test("the layer of the example keeps the contract")
  func contract() async {
    #expect(await Examples.contract().isEmpty)
  }

  @Test("the transports can be created")
  func run() throws {
    _ = try Examples.basics()
    _ = try CurlTransport(configuration: Examples.others())
    let folder = FileManager.default.temporaryDirectory.appending(path: "DocumentationTests-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(Examples.RequestIDs(wrapped: try Examples.caching(folder)).pausesTransfers)
  }
}

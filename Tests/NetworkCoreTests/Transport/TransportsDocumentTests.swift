import Foundation
import NetworkCore
import Testing

/// The examples of Documentation/Transports.md, compiled.
private enum Examples {
  static func basics<API: TargetType>(_: API.Type) throws -> NetworkProvider<API> {
    var configuration = CurlConfiguration()
    configuration.timeouts.total = 30
    configuration.httpVersion = .http1_1
    let transport = try CurlTransport(configuration: configuration)
    let provider = NetworkProvider<API>(transport: transport)
    return provider
  }

  static func caching(_ folder: URL) throws -> CachingTransport {
    let cache = try HTTPCache(memoryCapacity: 4 << 20, diskCapacity: 50 << 20, directory: folder)
    let caching = CachingTransport(try CurlTransport(), cache: cache)
    return caching
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
    configuration.redirects = .modify { next, answer in
      answer.headers["X-Stay"] == nil ? next : nil
    }
    configuration.proxy = .proxy(.init(.socks5, host: "127.0.0.1", port: 1080))
    configuration.cookies = .memory
    configuration.credentials["intranet.example.com"] = .digest(user: "me", password: "secret")
    return configuration
  }
}

@Suite("The examples of Documentation/Transports.md")
struct TransportsDocumentTests {
  @Test("each line of them is one that is compiled here")
  func compiled() throws {
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let here = URL(fileURLWithPath: #filePath)
    let compiled = Set(lines(try String(contentsOf: here, encoding: .utf8)))
    let root = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
    let page = root.appendingPathComponent("Documentation/Transports.md")
    let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```swift\n")
      .dropFirst()
    let shown = blocks.flatMap { lines($0.components(separatedBy: "```")[0]) }
    #expect(shown.count > 12)
    for line in shown { #expect(compiled.contains(line), "not compiled: \(line)") }
  }

  @Test("they make transports")
  func run() throws {
    _ = try Examples.basics(GitHub.self)
    _ = try CurlTransport(configuration: Examples.others())
    let folder = try TemporaryFolder()
    _ = try Examples.caching(folder.url)
  }
}

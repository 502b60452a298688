import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import NetworkCoreCurl
import Testing

@Suite("The directory of the system's authorities")
struct SystemAuthoritiesTests {
  /// Writes a bundle and a directory, and returns whether the bundle has everything in the directory.
  private func isContained(_ files: [String: Data], in bundle: Data?) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    let directory = folder.appendingPathComponent("certs")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("bundle.crt")
    try bundle?.write(to: file)
    for (name, content) in files { try content.write(to: directory.appendingPathComponent(name)) }
    return SystemAuthorities.areCertificates(ofDirectory: directory.path, inFile: file.path)
  }

  @Test("is needed unless the file has all certificates that OpenSSL can find in it")
  func decision() throws {
    let first = try LoopbackServer(tls: .generated).authority
    let second = try LoopbackServer(tls: .generated).authority
    let bundle = Data("# a comment\n".utf8) + first + Data("\n".utf8) + second
    #expect(
      try isContained(["01234567.0": first, "89abcdef.0": second, "89abcdef.1": first + second], in: bundle))
    #expect(try isContained(["01234567.0": first, "README": Data("hello".utf8)], in: bundle))
    #expect(try isContained(["second.pem": second, "bundle.crt": second], in: first))
    #expect(try isContained([:], in: first))
    // OpenSSL looks for none of these names.
    let others = ["0123456.0", "012345678.0", "0123456g.0", "01234567", "01234567.0.bak"]
    #expect(try isContained(Dictionary(uniqueKeysWithValues: others.map { ($0, second) }), in: first))
    #expect(try !isContained(["01234567.0": second], in: first))
    #expect(try !isContained(["01234567.0": first, "01234567.1": second], in: first))
    #expect(try !isContained(["01234567.0": first + second], in: first))
    #expect(try !isContained(["01234567.r0": first], in: bundle))
    #expect(try !isContained(["01234567.0": first], in: Data()))
    #expect(try !isContained(["01234567.0": first], in: nil))
    let trusted = Data(
      String(decoding: first, as: UTF8.self).replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE").utf8)
    #expect(try !isContained(["01234567.0": trusted], in: bundle))
    #expect(try !isContained(["01234567.0": first.dropLast(30)], in: bundle))
    #expect(!SystemAuthorities.areCertificates(ofDirectory: "/nowhere", inFile: "/nowhere.crt"))
  }

  #if os(Linux)
    /// Whether libcurl keeps the authorities that it has read.
    private static let keepsAuthorities = {
      var configuration = CurlConfiguration()
      configuration.tls.authoritiesCacheTime = 60
      return (try? CurlTransport(configuration: configuration)) != nil
    }()

    @Test(
      "the file is read once for many connections, to servers and to proxies, also those of the environment",
      .enabled(if: keepsAuthorities, "needs libcurl 7.87"))
    func readings() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer(tls: .generated) { _ in .text("ok") }
        let proxy = CurlConfiguration.Proxy(.https, host: "127.0.0.1", port: Int(server.port))
        for (policy, url, variable) in [
          (.none, server.origin, "http_proxy"), (.proxy(proxy), "http://server.test/", "http_proxy"),
          (.byScheme(http: proxy, https: nil), "http://server.test/", "http_proxy"),
          (.environment, "http://server.test/", "http_proxy"),
          (.environment, "http://server.test/", "all_proxy"),
          (.environment, "http://server.test/", "ALL_PROXY"),
        ] as [(CurlConfiguration.ProxyPolicy, String, String)] {
          for name in ["http_proxy", "all_proxy", "ALL_PROXY"] {
            setenv(name, name == variable ? server.origin : "", 1)
          }
          var configuration = CurlConfiguration()
          configuration.proxy = policy
          let transport = try CurlTransport(configuration: configuration)
          var readings: [Int] = []
          for _ in 0..<9 {
            // Not trusted, so that the next request needs another connection.
            let events = await transport.exchange(.init(url: url))
            guard case .certificate(.unknownIssuer, _, _)? = events.error else {
              Issue.record("\(policy): \(String(describing: events.error))")
              return
            }
            readings.append(try bytesRead())
          }
          #expect(readings[8] - readings[0] < 500_000, "\(policy), \(variable): \(readings)")
        }
      }
    }

    @Test("plain requests do not read it for a proxy of the environment that they do not use")
    func otherProxies() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .text("ok") }
        for name in ["HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
          setenv(name, "https://127.0.0.1:1", 1)
        }
        setenv("http_proxy", server.origin, 1)
        var count = 0
        // The first request loads what all of them need.
        for policy in [.none, .environment] as [CurlConfiguration.ProxyPolicy] {
          var configuration = CurlConfiguration()
          configuration.proxy = policy
          let transport = try CurlTransport(configuration: configuration)
          let before = try bytesRead()
          #expect(await transport.exchange(.init(url: server.origin)).error == nil)
          count = try bytesRead() - before
        }
        #expect(count < 50_000)
      }
    }
  #endif
}

#if os(Linux)
  /// Returns the number of bytes that the process has read.
  private func bytesRead() throws -> Int {
    let counts = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    return Int(counts.split(separator: " ")[1].prefix { $0.isNumber }) ?? 0
  }
#endif

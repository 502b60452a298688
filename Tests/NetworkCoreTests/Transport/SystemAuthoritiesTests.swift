import Foundation
import LoopbackServer
import NetworkCore
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
        setenv("http_proxy", server.origin, 1)
        let proxy = CurlConfiguration.Proxy(.https, host: "127.0.0.1", port: Int(server.port))
        for (policy, url) in [
          (.none, server.origin), (.proxy(proxy), "http://server.test/"),
          (.byScheme(http: proxy, https: nil), "http://server.test/"), (.environment, "http://server.test/"),
        ] as [(CurlConfiguration.ProxyPolicy, String)] {
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
            let counts = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
            readings.append(Int(counts.split(separator: " ")[1].prefix { $0.isNumber }) ?? 0)
          }
          #expect(readings[8] - readings[0] < 500_000, "\(policy): \(readings)")
        }
      }
    }
  #endif
}

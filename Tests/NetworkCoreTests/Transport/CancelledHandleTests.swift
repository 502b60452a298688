import Foundation
import NetworkCore
import Testing

/// libcurl's handles cannot be observed directly, but each handle has its own TLS sessions, which a new
/// HTTP/1.1 connection resumes, and each takes memory.
@Suite(
  "The handles of cancelled transfers",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct CancelledHandleTests {
  /// A server whose responses never end, with one port for HTTP/2 and one for HTTP/1.1, and a transport.
  private struct ServerAndTransport: Sendable {
    private let nginx: Nginx
    private let transport: CurlTransport

    init() throws {
      let authority = try CertificateAuthority()
      let directives = """
        ssl_session_cache shared:sessions:1m;
        location / {
          default_type text/plain; add_header X-Resumed $ssl_session_reused;
          limit_rate_after 1k; limit_rate 1; return 200 \(String(repeating: "slow", count: 1_000));
        }
        """
      let identity = try authority.issue()
      nginx = try Nginx(
        .init(identity: identity, directives: directives),
        .init(identity: identity, directives: directives, isHTTP2: false))
      var configuration = CurlConfiguration()
      configuration.tls.authorities = .data(authority.root.pem)
      transport = try CurlTransport(configuration: configuration)
    }

    /// Starts a transfer and cancels it within its body, which closes its connection; returns the TLS
    /// session's state from the response's head: `.` for a new session, `r` for a resumed one.
    func cancelOne(isHTTP2: Bool) async -> String? {
      let (transfer, recorder) = transport.record(.init(url: nginx.origin(isHTTP2 ? 0 : 1)))
      let head = await recorder.waitUntil { $0.head != nil || $0.isOver }.head
      transfer.cancel()
      #expect(await recorder.waitForEnd().error == .cancelled)
      #expect(head?.httpVersion == (isHTTP2 ? .http2 : .http1_1))
      return head?.headers["X-Resumed"]
    }
  }

  @Test("a handle is reused by the next transfer, whatever the version")
  func reuse() async throws {
    let pair = try ServerAndTransport()
    #expect(await pair.cancelOne(isHTTP2: false) == ".")
    for _ in 0..<20 {
      #expect(await pair.cancelOne(isHTTP2: false) == "r")
      _ = await pair.cancelOne(isHTTP2: true)
    }
  }

  #if os(Linux)
    @Test("1,500 cancelled transfers do not increase memory and descriptors")
    func memory() async {
      await #expect(processExitsWith: .success) {
        func resident() -> Int {
          let words = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
          return (words.flatMap { Int($0[1]) } ?? 0) * Int(getpagesize())
        }
        let pair = try ServerAndTransport()
        var facts: [(resident: Int, descriptors: Int)] = []
        for count in [100, 650] {
          for _ in 0..<count {
            for isHTTP2 in [false, true] { _ = await pair.cancelOne(isHTTP2: isHTTP2) }
          }
          facts.append((resident(), try #require(ProcessFacts.descriptors)))
        }
        // A leaked handle would keep its buffer of 64 KiB, most of which is touched here. The address
        // sanitizer keeps up to 256 MiB of freed memory.
        if dlsym(nil, "__asan_init") == nil { #expect(facts[1].resident < facts[0].resident + 16 << 20) }
        #expect(facts[1].descriptors <= facts[0].descriptors + 4)
      }
    }
  #endif
}

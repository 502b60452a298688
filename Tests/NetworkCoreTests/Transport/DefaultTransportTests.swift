import Locking
import LoopbackServer
import NetworkCore
import Testing

@Suite("Choosing the transport")
struct DefaultTransportTests {
  private func choose(_ names: [String]) -> (transport: any Transport, reports: [String]) {
    let reports = Lock<[String]>([])
    let transport = curlOrFallback(report: { text in reports.withLock { $0.append(text) } }) {
      () throws(CurlUnavailableError) in
      try CurlTransport(library: CurlLibrary(names: names))
    }
    return (transport, reports.withLock { $0 })
  }

  @Test("libcurl where it can be loaded, under the first name that is there")
  func loaded() {
    let (transport, reports) = choose(["libno-such-thing.so.4"] + CurlLibrary.names)
    #expect(transport is CurlTransport)
    #expect(reports.isEmpty)
  }

  @Test("URLSession where it cannot, and one report that says what failed and what to install")
  func missing() throws {
    let (transport, reports) = choose(["libno-such-thing.so.4"])
    #expect(transport is URLSessionTransport)
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    #expect(report.contains("libno-such-thing.so.4"))
    #expect(report.contains("libcurl4"))
  }

  @Test("a library without the functions is named as such")
  func otherLibrary() throws {
    let (transport, reports) = choose(["libm.so.6", "libSystem.dylib"])
    #expect(transport is URLSessionTransport)
    #expect(try #require(reports.first).contains("curl_easy_init"))
  }

  @Test("the shared transport is one")
  func shared() throws {
    #expect(try CurlTransport.shared === CurlTransport.shared)
  }
}

import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Choosing the transport", .timeLimit(.minutes(5)))
struct DefaultTransportTests {
  /// `true` if the installed libcurl can be used.
  private static let isUsable = (try? CurlLibrary(names: CurlLibrary.names)) != nil

  private func choose(
    _ names: [String], floor: (major: Int, minor: Int) = CurlLibrary.floor
  ) -> (transport: any Transport, reports: [String]) {
    let reports = Lock<[String]>([])
    let transport = curlOrFallback(report: { text in reports.withLock { $0.append(text) } }) {
      () throws(CurlUnavailableError) in
      try CurlTransport(library: CurlLibrary(names: names, floor: floor))
    }
    return (transport, reports.withLock { $0 })
  }

  @Test("libcurl is used if it can be loaded, under the first name that exists", .enabled(if: isUsable))
  func loaded() {
    let (transport, reports) = choose(["libno-such-thing.so.4"] + CurlLibrary.names)
    #expect(transport is CurlTransport)
    #expect(reports.isEmpty)
  }

  @Test("URLSession is used otherwise, with one report that states the failure and the package to install")
  func missing() throws {
    let (transport, reports) = choose(["libno-such-thing.so.4"])
    #expect(transport is URLSessionTransport)
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    #expect(report.contains("libno-such-thing.so.4"))
    #expect(report.contains("libcurl4"))
  }

  @Test("a library without the required functions is reported")
  func otherLibrary() throws {
    let (transport, reports) = choose(["libm.so.6", "libSystem.dylib"])
    #expect(transport is URLSessionTransport)
    #expect(try #require(reports.first).contains("curl_easy_init"))
  }

  @Test("a libcurl that is too old is reported, with the version required")
  func old() throws {
    let (transport, reports) = choose(CurlLibrary.names, floor: (99, 1))
    #expect(transport is URLSessionTransport)
    let report = try #require(reports.first)
    #expect(report.contains("libcurl cannot be used: libcurl/"))
    #expect(report.contains(" was found, and 99.1 or newer is needed."))
  }

  @Test(
    "in a process with a libcurl that is too old, requests use URLSession, and that is reported once",
    .enabled(if: !isUsable, "the installed libcurl is new enough"))
  func process() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let server = try LoopbackServer { _ in .text("ok") }
      for _ in 0..<3 {
        let response = try await NetworkProvider<LoopbackTarget>().response(for: LoopbackTarget(server))
        #expect(response.data == Data("ok".utf8))
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.components(separatedBy: "libcurl cannot be used: libcurl/").count == 2)
    #expect(words.contains("was found, and 7.80 or newer is needed"))
  }

  @Test("there is one shared transport", .enabled(if: isUsable))
  func shared() throws {
    #expect(try CurlTransport.shared === CurlTransport.shared)
  }
}

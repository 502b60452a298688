import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Unexpected data on Unix domain sockets", .timeLimit(.minutes(5)))
struct UnixSocketUnsolicitedDataTests {
  private static func response(_ text: String) -> [UInt8] {
    Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
  }

  @Test(
    "data that arrives between two requests is not the response to the second, also after a cancelled one",
    arguments: [HTTPMethod.get, .post], [false, true])
  func unasked(method: HTTPMethod, isBehindCancel: Bool) async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sock").path
    let (isDue, isSaid) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isHeard = DispatchSemaphore(value: 0)
    let server = try RawServer(at: path) { stream, _ in
      let head = stream.read(until: "\r\n\r\n")
      if head.contains(" /hang ") {
        isHeard.signal()
        // Stays open until the client closes.
        _ = stream.read(until: "\r\n\r\n")
        return
      }
      guard head.contains(" /one ") else {
        if !head.isEmpty { stream.write(Self.response("right")) }
        return
      }
      stream.write(Self.response("one"))
      isDue.wait()
      stream.write(Self.response("stale"))
      isSaid.signal()
      // Stays open until the client closes.
      _ = stream.read(until: "\r\n\r\n")
    }
    defer { try? FileManager.default.removeItem(atPath: path) }
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let transport = try CurlTransport()
    if isBehindCancel {
      let (transfer, recorder) = transport.record(.init(url: "http+unix://\(host)/hang"))
      isHeard.wait()
      transfer.cancel()
      #expect(await recorder.waitForEnd().error == .cancelled)
    }
    #expect(await transport.exchange(.init(url: "http+unix://\(host)/one")).body == Data("one".utf8))
    isDue.signal()
    isSaid.wait()
    let events = await transport.exchange(.init(method: method, url: "http+unix://\(host)/two"))
    #expect(events.error == nil)
    #expect(events.body == Data("right".utf8))
    withExtendedLifetime(server) {}
  }
}

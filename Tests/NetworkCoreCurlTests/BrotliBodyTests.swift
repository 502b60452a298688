import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Bodies compressed with Brotli", .timeLimit(.minutes(5)))
struct BrotliBodyTests {
  /// "hello hello hello".
  private let compressed = Data(base64Encoded: "GxAA+I2Ubt5EVYaWbCBvAU8cYBw=") ?? Data()

  /// Returns the events of a body; `nil` if the transport cannot decompress it.
  private func exchange(_ body: Data) async throws -> TransferRecorder.Events? {
    let server = try LoopbackServer { _ in .bytes(body).header("Content-Encoding", "br") }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    let offered = try #require(server.log.requests.first?.headers["Accept-Encoding"])
    return offered.contains("br") ? events : nil
  }

  @Test("a body that ends early is an error, wherever it ends")
  func early() async throws {
    for count in 1..<compressed.count {
      guard let events = try await exchange(compressed.prefix(count)) else { return }
      guard case .truncatedBody? = events.error else {
        Issue.record("\(count) bytes: \(String(describing: events.error))")
        continue
      }
    }
  }

  @Test("bytes after the end are an error")
  func surplus() async throws {
    guard let events = try await exchange(compressed + Data("x".utf8)) else { return }
    guard case .badServerResponse? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("bytes that are not Brotli are an error", arguments: [0, 6])
  func invalid(count: Int) async throws {
    let body = compressed.prefix(count) + Data(repeating: 0xFF, count: 14)
    guard let events = try await exchange(body) else { return }
    guard case .badServerResponse? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }
}

import Foundation
import NetworkCore
import Testing

private enum Examples {
  static func http3() -> CurlTransport? {
    var configuration = CurlConfiguration()
    configuration.httpVersion = .http3IfAdvertised
    let transport = try? CurlTransport(configuration: configuration)
    return transport
  }
}

@Suite("Examples in HTTP/2 and HTTP/3")
struct HTTP2AndHTTP3Tests {
  @Test("without a libcurl that has HTTP/3, the error names the option")
  func http3() {
    guard Examples.http3() == nil else { return }
    var configuration = CurlConfiguration()
    configuration.httpVersion = .http3
    do {
      _ = try CurlTransport(configuration: configuration)
      Issue.record("one setting is supported, and the other is not")
    } catch {
      #expect(error.localizedDescription.contains("HTTP/3"))
    }
  }
}

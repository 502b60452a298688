import Foundation
import NetworkCore
import Testing

private func transport() -> any Transport {
  do {
    return try CurlTransport()
  } catch {
    print(error.localizedDescription)  // names the missing library, or its version and the required one
    return URLSessionTransport.shared
  }
}

@Suite("Examples in Which libcurl does what")
struct LibcurlVersionsTests {
  @Test("a program uses libcurl if it can")
  func usesLibcurl() {
    #expect(transport() is CurlTransport)
  }
}

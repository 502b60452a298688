import Foundation
import LoopbackServer
import NetworkCore
import Testing

private struct Examples {
  func explanation(of error: NetworkError) -> String {
    switch error.transferError {
    case .truncatedBody, .connectionLost: "the response is incomplete"
    case .badServerResponse: "the server does not keep to HTTP"
    case .responseTooLarge: "the response is too large"
    default: error.localizedDescription
    }
  }

  static func redirects() throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.redirects = .modify { next, response in
      response.headers["X-Stay"] == nil ? next : nil
    }
    return try CurlTransport(configuration: configuration)
  }
}

@Suite("Examples in Rely on responses", .timeLimit(.minutes(5)))
struct ResponseGuaranteesTests {
  struct Page: TargetType {
    let baseURL: URL
    let path: String
  }

  @Test("a response that stops early, and one that is not HTTP, are errors")
  func errors() async throws {
    let server = try LoopbackServer {
      $0.path == "/short" ? .text("hello").truncated(after: 2) : .raw("hello\r\n\r\n".utf8)
    }
    let provider = NetworkProvider<Page>()
    var found: [String] = []
    for path in ["/short", "/odd"] {
      do throws(NetworkError) {
        _ = try await provider.response(for: Page(baseURL: server.baseURL, path: path))
      } catch {
        found.append(Examples().explanation(of: error))
      }
    }
    #expect(found == ["the response is incomplete", "the server does not keep to HTTP"])
  }

  @Test("the closure decides which redirects are followed")
  func redirects() async throws {
    let server = try LoopbackServer {
      switch $0.path {
      case "/stay": .redirect(to: "/end").header("X-Stay", "1")
      case "/end": .text("end")
      default: .redirect(to: "/end")
      }
    }
    let provider = NetworkProvider<Page>(transport: try Examples.redirects())
    let stayed = try await provider.response(for: Page(baseURL: server.baseURL, path: "/stay"))
    #expect(stayed.statusCode == 302)
    let followed = try await provider.response(for: Page(baseURL: server.baseURL, path: "/go"))
    #expect(followed.statusCode == 200)
  }
}

import NetworkCore
import Testing

/// The transports that a test runs over.
///
/// A test of `.curl` alone says in its name what URLSession cannot do.
enum TransportKind: CaseIterable, CustomTestStringConvertible {
  case curl
  case urlSession

  func make() throws -> any Transport {
    switch self {
    case .curl: try CurlTransport()
    case .urlSession: URLSessionTransport()
    }
  }

  var testDescription: String {
    switch self {
    case .curl: "CurlTransport"
    case .urlSession: "URLSessionTransport"
    }
  }
}

import LoopbackServer
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

extension LoopbackServer.Reply {
  /// At a speed at which a transport keeps a body without end out of memory until it has been told that it is enough.
  ///
  /// URLSession on Linux reads on while its delegate is not through with what has come, which takes long under a sanitizer.
  func bearable(for kind: TransportKind) -> Self {
    kind == .curl ? self : trickled(chunk: 50_000, every: .milliseconds(1))
  }
}

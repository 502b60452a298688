import LoopbackServer
import NetworkCore
import Testing

/// The transports that a test runs over.
///
/// A test of only `.curl` states in its name what URLSession cannot do.
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
  /// Limits the speed of an endless body and lets it stall after `count` bytes, so that a transport does not
  /// accumulate it in memory before it is cancelled.
  ///
  /// URLSession on Linux keeps reading while its delegate handles earlier data, which takes long under a
  /// sanitizer. While it reads, cancels and the requests of other sessions wait: on a slow machine, one test
  /// made all others wait that use URLSession.
  func throttled(for kind: TransportKind, stallingAfter count: Int = 4 << 20) -> Self {
    kind == .curl
      ? self
      : trickled(chunk: 50_000, every: .milliseconds(1)).bodyHeld(until: .init(), after: count)
  }
}

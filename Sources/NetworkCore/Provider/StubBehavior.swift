public import typealias Foundation.TimeInterval

/// Whether a request is answered from its endpoint's sample instead of a server.
public enum StubBehavior: Sendable, Hashable {
  /// It goes to the server.
  case never
  /// It is answered at once: before `request` returns where there is no callback queue.
  case immediate
  /// It is answered after so many seconds.
  case delayed(seconds: TimeInterval)
}

public import typealias Foundation.TimeInterval

/// Whether and when a request gets its endpoint's sample instead of a response from the server.
public enum StubBehavior: Sendable, Hashable {
  /// The request goes to the server.
  case never
  /// The request is stubbed at once: it ends before `request` returns if there is no callback queue.
  case immediate
  /// The request is stubbed after this number of seconds.
  case delayed(seconds: TimeInterval)
}

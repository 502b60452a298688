import ReactiveNetworkLock

/// A method, a path pattern and a handler.
struct Route: Sendable {
  private enum Segment: Sendable {
    case literal(String)
    case parameter(String)
    case rest
  }

  let handler: LoopbackServer.Handler
  private let method: String?
  private let segments: [Segment]

  init(method: String?, pattern: String, handler: @escaping LoopbackServer.Handler) {
    self.method = method
    self.handler = handler
    let segments = pattern.split(separator: "/", omittingEmptySubsequences: false)
    self.segments = segments.enumerated().map { index, segment in
      if segment == "*", index == segments.count - 1 { return .rest }
      return segment.hasPrefix(":") ? .parameter(String(segment.dropFirst())) : .literal(String(segment))
    }
  }

  /// Returns the values of the pattern's parameters; `nil` if the route does not match.
  ///
  /// The segments of the path are decoded separately, so that `%2F` does not separate them.
  func parameters(method: String, path: [String]) -> [String: String]? {
    guard self.method == nil || self.method == method || self.method == "GET" && method == "HEAD" else {
      return nil
    }
    var parameters: [String: String] = [:]
    for (index, segment) in segments.enumerated() {
      if case .rest = segment { return path.count >= index ? parameters : nil }
      guard index < path.count else { return nil }
      switch segment {
      case .literal(let text): if text != path[index] { return nil }
      case .parameter(let name): parameters[name] = path[index]
      case .rest: break
      }
    }
    return path.count == segments.count ? parameters : nil
  }
}

/// The routes of a server, in the order in which they are tried.
final class Router: Sendable {
  // The handler is a field of a struct because a lock around a bare closure would wrap it again at every
  // access: the generic `inout` converts the calling convention of a function in both directions.
  private struct State {
    var routes: [Route] = []
    var fallback: LoopbackServer.Handler
  }

  private let state: Lock<State>

  init(fallback: @escaping LoopbackServer.Handler) {
    self.state = Lock(State(fallback: fallback))
  }

  func add(_ route: Route) {
    state.withLock { $0.routes.append(route) }
  }

  /// Returns the handler for a request, and sets the request's route parameters.
  func handler(for request: inout LoopbackServer.Request) -> LoopbackServer.Handler {
    let state = state.withLock { $0 }
    guard !state.routes.isEmpty else { return state.fallback }
    let path = request.pathSegments
    for route in state.routes {
      guard let parameters = route.parameters(method: request.method, path: path) else { continue }
      request.parameters = parameters
      return route.handler
    }
    return state.fallback
  }

  /// Releases all handlers and the objects that they capture.
  func removeAll() {
    let old = state.withLock { exchange(&$0, with: State { _ in .status(503) }) }
    // Released outside the lock, because the captured objects may run code when they are released.
    withExtendedLifetime(old) {}
  }
}

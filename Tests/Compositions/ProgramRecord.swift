import LoopbackServer
import NetworkCore
import ReactiveNetworkLock

/// What the servers have seen of one program, and what its parts have counted.
final class ProgramRecord: Sendable {
  struct Hit: Sendable {
    let method: String
    let path: String
    let isForeign: Bool
    let authorization: String?
    /// Whether the server refused the request because of its token.
    let isRefused: Bool
  }

  struct State: Sendable {
    var hits: [Hit] = []
    /// The user who is signed in.
    var user = ""
    /// The number of refreshes of the token.
    var version = 0
    /// The requests of the program itself that have been sent, by the plugins' count.
    var sent = 0
    /// The requests that have been sent and not received, by the plugins' count.
    var running = 0
    /// The tasks of interceptors that run.
    var adapting = 0
    /// The handlers that compute.
    var computing = 0
    /// The requests that observers have seen begin and not end.
    var observed: Set<Int> = []
    var sockets = SocketRecord()
    var faults: [String] = []
    var onHit: (@Sendable () -> Void)?
  }

  let composition: Composition
  let state = Lock(State())
  let requestRecords = RequestRecordPlugin { _ in }

  init(_ composition: Composition) {
    self.composition = composition
    state.withLock { $0.user = composition.user }
  }

  func note(_ fault: String) {
    state.withLock { if !$0.faults.contains(fault) { $0.faults.append(fault) } }
  }

  /// The token of the user who is signed in.
  var token: String { state.withLock { "\($0.user)-\($0.version)" } }

  /// Replies to a request of the program.
  func reply(to request: LoopbackServer.Request, path: String, isForeign: Bool, foreign: String)
    -> LoopbackServer.Reply
  {
    let authorization = request.headers["Authorization"]
    let version = authorization?.split(separator: "-").last.flatMap { Int($0) }
    let refuses = composition.fault == .refusedOnce || composition.fault == .refusedThenUnavailable
    let isAccepted = ["token", "follow", "stranger"].contains(path) || isForeign || version != 0
    let hit = Hit(
      method: request.method, path: path, isForeign: isForeign, authorization: authorization,
      isRefused: refuses && !isAccepted)
    let (isFirst, onHit) = state.withLock { state in
      let isFirst = !state.hits.contains { $0.path == path && $0.isForeign == isForeign && !$0.isRefused }
      state.hits.append(hit)
      return (isFirst, state.onHit)
    }
    onHit?()
    if isForeign { return .text("foreign") }
    if path == "token" || path == "stranger" { return .text(path) }
    if hit.isRefused { return .status(401) }
    // The user that the token names.
    let user = authorization?.split(separator: " ").last?.split(separator: "-").first.map(String.init)
    let reply =
      path == "socket"
      ? socketReply(for: user ?? "nobody", breaks: isFirst && composition.fault == .resetOnce)
      : .text(user ?? "nobody").header("Cache-Control", "max-age=60")
    // In a chain, the request after a POST fails, and not the POST.
    let fails = isFirst && !(composition.shape == .chain && path == "post")
    switch composition.fault {
    case .none, .refusedOnce: return reply
    case .unavailableOnce, .refusedThenUnavailable: return fails ? .status(503) : reply
    case .resetOnce where path == "socket": return reply
    case .resetOnce: return fails ? reply.truncated(after: 0, by: .reset) : reply
    case .slow: return reply.delayed(by: .milliseconds(6))
    case .redirectedAway: return path == "get" || path == "socket" ? .redirect(to: "\(foreign)/away") : reply
    case .silent: return path == "follow" ? reply : .never
    }
  }
}

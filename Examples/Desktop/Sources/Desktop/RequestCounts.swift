import LoopbackServer
import ReactiveNetwork

/// How the requests of one kind have ended.
struct RequestCounts: Sendable, Equatable {
  var sent = 0
  var answered = 0
  var cancelled = 0
  var failed = 0

  /// The number of requests that have not ended.
  var pending: Int { sent - answered - cancelled - failed }
}

/// The counts of both kinds.
struct Counts: Sendable, Equatable {
  var searches = RequestCounts()
  var pictures = RequestCounts()
}

/// Counts requests, and prints a line for each event.
final class RequestCounter: PluginType {
  let counts = BehaviorRelay(value: Counts())
  private let changes = PublishSubject<@Sendable (inout Counts) -> Void>()

  init() {
    // The subject puts the changes of several threads in order.
    _ = changes.scan(into: Counts()) { $1(&$0) }.bind(to: counts)
  }

  func willSend(_ request: any RequestType, target: any TargetType) {
    record("→", target) { $0.sent += 1 }
  }

  func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    switch result {
    case .success: record("←", target) { $0.answered += 1 }
    case .failure(let error) where error.isCancelled: record("✗", target) { $0.cancelled += 1 }
    case .failure: record("!", target) { $0.failed += 1 }
    }
  }

  private func record(
    _ sign: String, _ target: any TargetType, _ change: @escaping @Sendable (inout RequestCounts) -> Void
  ) {
    guard let target = target as? CodeHost else { return }
    try? FileHandle.standardOutput.write(contentsOf: Data("\(sign) \(target.label)\n".utf8))
    switch target {
    case .search: changes.onNext { change(&$0.searches) }
    case .picture: changes.onNext { change(&$0.pictures) }
    }
  }
}

extension CodeHost {
  /// What is requested, for a line of output.
  fileprivate var label: String {
    switch self {
    case .search(let text, _): "search \(text)"
    case .picture(let url): "picture \(url.lastPathComponent)"
    }
  }
}

/// The program's own counts, and those of the built-in server.
struct Summary {
  let counts: Counts
  let log: LoopbackServer.Log?

  var text: String {
    "\(line("search", "searches", counts.searches, isPicture: false)); "
      + line("picture", "pictures", counts.pictures, isPicture: true)
  }

  /// `true` if every request has ended, and the server has seen no more than the program has sent.
  ///
  /// A request that was cancelled at the very beginning need not have reached the server, and one that was
  /// cancelled at the very end may have been answered.
  var agrees: Bool {
    [(counts.searches, false), (counts.pictures, true)].allSatisfy { counts, isPicture in
      guard counts.pending == 0 else { return false }
      guard log != nil else { return true }
      let seen = seen(isPicture: isPicture)
      return seen.requests <= counts.sent && seen.closed <= counts.cancelled
    }
  }

  private func line(_ one: String, _ many: String, _ counts: RequestCounts, isPicture: Bool) -> String {
    let seen = seen(isPicture: isPicture)
    let (saw, closed) =
      log == nil ? ("", "") : (" (server saw \(seen.requests))", " (server saw \(seen.closed) closed)")
    return "\(counts.sent) \(counts.sent == 1 ? one : many) sent\(saw), \(counts.answered) answered, "
      + "\(counts.cancelled) cancelled\(closed)" + (counts.failed > 0 ? ", \(counts.failed) failed" : "")
  }

  private func seen(isPicture: Bool) -> (requests: Int, closed: Int) {
    guard let log else { return (0, 0) }
    return (
      log.requests.count { $0.isPicture == isPicture },
      log.abandoned.count { $0.request.isPicture == isPicture }
    )
  }
}

extension LoopbackServer.Request {
  fileprivate var isPicture: Bool { path.hasPrefix("/pictures/") }
}

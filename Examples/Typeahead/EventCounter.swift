import ReactiveNetwork
import ReactiveNetworkExamples
import Dispatch
import ReactiveNetworkLock

/// Counts of what the pipeline did.
struct EventCounts: Equatable {
  var keystrokes = 0
  /// The number of requests passed to the transport; the counts below say how they ended.
  var sent = 0
  var cancelled = 0
  var answered = 0
  var failed = 0
  /// The number of outcomes that were shown.
  var rendered = 0
  /// The number of outcomes that were shown after the last request was sent.
  var renderedLast = 0
  /// A description of the last outcome that was shown.
  var last: String?

  /// `true` if every request has ended.
  var allRequestsEnded: Bool { sent == cancelled + answered + failed }
}

/// Counts events, notifies the views, and lets the script wait for a count.
final class EventCounter: PluginType {
  private let counts = Lock(EventCounts())
  private let changes = DispatchSemaphore(value: 0)
  private let views: [any View]

  init(views: [any View]) {
    self.views = views
  }

  var current: EventCounts { counts.withLock { $0 } }

  func typed(_ key: Key, _ text: String) {
    record { $0.keystrokes += 1 }
    for view in views { view.typed(key, text) }
  }

  func rendered(_ outcome: SearchOutcome) {
    for view in views { view.show(outcome) }
    switch outcome {
    case .cleared: break
    case .found(let page, let query):
      record {
        $0.rendered += 1
        $0.renderedLast += 1
        $0.last = "\(page.totalCount.counted("result")) for \"\(query)\""
      }
    case .failed(let reason, let query):
      record {
        $0.rendered += 1
        $0.renderedLast += 1
        $0.last = "\"\(query)\" failed: \(reason)"
      }
    }
  }

  func willSend(_ request: any RequestType, target: any TargetType) {
    record {
      $0.sent += 1
      $0.renderedLast = 0
    }
    notifyViews(of: target) { $0.requested(for: $1) }
  }

  func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    switch result {
    case .success:
      notifyViews(of: target) { $0.answered($1) }
      record { $0.answered += 1 }
    case .failure(let error) where error.isCancelled:
      notifyViews(of: target) { $0.cancelled($1) }
      record { $0.cancelled += 1 }
    case .failure:
      notifyViews(of: target) { $0.failed($1) }
      record { $0.failed += 1 }
    }
  }

  /// Blocks until the counts satisfy a condition; only one thread may wait at a time.
  ///
  /// - Parameters:
  ///   - timeout: the longest time to wait, in seconds.
  ///   - condition: inspects the counts, first at once and then after each change.
  /// - Returns: `true` if the condition was satisfied in time.
  @discardableResult
  func wait(_ timeout: TimeInterval, until condition: (EventCounts) -> Bool) -> Bool {
    let deadline = DispatchTime.now() + timeout
    while !condition(current) {
      guard changes.wait(timeout: deadline) == .success else { return condition(current) }
    }
    return true
  }

  private func notifyViews(of target: any TargetType, _ event: (any View, String) -> Void) {
    guard let query = (target as? CodeHost)?.query else { return }
    for view in views { event(view, query) }
  }

  private func record(_ change: (inout EventCounts) -> Void) {
    counts.withLock { change(&$0) }
    changes.signal()
  }
}

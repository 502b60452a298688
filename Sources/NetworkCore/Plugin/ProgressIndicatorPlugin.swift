import Locking

/// Shows an indicator while any request runs.
///
/// The requests of all providers that have the same plugin count together. `show` is called when the first of them begins,
/// `hide` when the last one has ended; they alternate and never overlap, but may run on different threads.
public final class ProgressIndicatorPlugin: PluginType {
  private struct State {
    var running = 0
    var isShown = false
    var isTelling = false

    /// Whether to show or hide now; `nil` where that is so already, or somebody else is at it.
    mutating func next() -> Bool? {
      let mustShow = running > 0
      isTelling = mustShow != isShown
      guard isTelling else { return nil }
      isShown = mustShow
      return mustShow
    }
  }

  private let show: @Sendable () -> Void
  private let hide: @Sendable () -> Void
  private let state = Lock(State())

  /// Makes a plugin.
  ///
  /// - Parameters:
  ///   - show: shows the indicator.
  ///   - hide: hides it.
  @preconcurrency public init(show: @escaping @Sendable () -> Void, hide: @escaping @Sendable () -> Void) {
    self.show = show
    self.hide = hide
  }

  /// Counts a request.
  public func willSend(_ request: any RequestType, target: any TargetType) {
    count(1)
  }

  /// Counts a request that has ended.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    count(-1)
  }

  private func count(_ change: Int) {
    var mustShow = state.withLock { state in
      state.running += change
      return state.isTelling ? nil : state.next()
    }
    while let isShown = mustShow {
      if isShown { show() } else { hide() }
      mustShow = state.withLock { $0.next() }
    }
  }
}

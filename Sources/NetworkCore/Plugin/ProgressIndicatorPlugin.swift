import ReactiveNetworkLock

/// Shows an indicator while any request runs.
///
/// Requests of all providers that share the plugin count together. `show` is called when the first of them
/// begins, and `hide` when the last one has ended. The calls alternate and never overlap, but may run on
/// different threads.
public final class ProgressIndicatorPlugin: PluginType {
  private struct State {
    var running = 0
    var isShown = false
    /// Whether a thread is calling `show` and `hide`.
    var isNotifying = false

    /// Returns `true` to show the indicator and `false` to hide it; `nil` ends the calls.
    mutating func next() -> Bool? {
      let mustShow = running > 0
      isNotifying = mustShow != isShown
      guard isNotifying else { return nil }
      isShown = mustShow
      return mustShow
    }
  }

  private let show: @Sendable () -> Void
  private let hide: @Sendable () -> Void
  private let state = Lock(State())

  /// Creates a plugin.
  ///
  /// - Parameters:
  ///   - show: shows the indicator.
  ///   - hide: hides the indicator.
  @preconcurrency public init(show: @escaping @Sendable () -> Void, hide: @escaping @Sendable () -> Void) {
    self.show = show
    self.hide = hide
  }

  /// Counts a request that begins.
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
      return state.isNotifying ? nil : state.next()
    }
    while let isShown = mustShow {
      if isShown { show() } else { hide() }
      mustShow = state.withLock { $0.next() }
    }
  }
}

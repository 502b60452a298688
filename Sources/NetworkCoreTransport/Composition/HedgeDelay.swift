package import typealias Foundation.TimeInterval
internal import ReactiveNetworkLock

/// The time that the first copy of a hedged request has before the second one is sent.
///
/// It does not run while the first copy waits for a place in a limit: the server is not late yet, and a second
/// copy would wait too. The limits on the way find the delay in the request, or in the subscription. A second copy has
/// a delay that never starts, and tells whether the copy waits.
package final class HedgeDelay: Sendable {
  private struct State {
    var timer: (any Cancellable)?
    /// The reading of the clock when the first copy began, without the time that it has waited for places.
    var began: TimeInterval
    /// The number of places for which the first copy waits.
    var waits = 0
    /// The reading of the clock when `waits` was last 0.
    var waitingSince = 0.0
    /// The number of pauses so far, so that a timer from before a pause has no effect.
    var pauseCount = 0
    /// The action at the end of the delay; `nil` before `start`.
    var action: (@Sendable () -> Void)?
    /// Whether the delay has passed, or no second copy is needed.
    var isOver = false

    /// Whether the delay runs or is to run, and has no timer.
    var needsTimer: Bool { action != nil && !isOver && waits == 0 && timer == nil }
  }

  private let seconds: TimeInterval
  private let scheduler: any DelayScheduler
  /// The delay of a hedge around this one, whose first copy waits whenever this one's does.
  private let outer: HedgeDelay?
  private let state: Lock<State>

  /// Creates a delay for a first copy that begins now.
  ///
  /// - Parameters:
  ///   - seconds: the delay, 0 or more.
  ///   - scheduler: runs the action, and measures the delay by its `uptime`.
  ///   - outer: the delay of a hedge around this one.
  package init(_ seconds: TimeInterval, scheduler: any DelayScheduler, within outer: HedgeDelay?) {
    self.seconds = seconds
    self.scheduler = scheduler
    self.outer = outer
    state = Lock(State(began: scheduler.uptime.inSeconds))
  }

  /// Starts the delay, now that the first copy was sent or waits for a place, and calls an action at its end.
  package func start(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.action = action }
    schedule()
  }

  /// Schedules the end of the delay, unless the first copy waits for a place or the delay is over.
  private func schedule() {
    let now = scheduler.uptime.inSeconds
    let next = state.withLock {
      $0.needsTimer ? (rest: seconds - (now - $0.began), pauseCount: $0.pauseCount) : nil
    }
    guard let next else { return }
    // If the clock was set back, the rest would be longer than the delay.
    let timer = scheduler.schedule(after: .inSeconds(min(seconds, max(0, next.rest)))) { [weak self] in
      self?.end(next.pauseCount)
    }
    let isStored = state.withLock { state in
      // A timer that has fired during a pause would never fire again.
      guard state.needsTimer, state.pauseCount == next.pauseCount else { return false }
      state.timer = timer
      return true
    }
    guard !isStored else { return }
    timer.cancel()
    schedule()
  }

  /// Stops the delay, and those of the outer hedges, until `resume` is called as often.
  package func pause() {
    let now = scheduler.uptime.inSeconds
    let timer = state.withLock { state in
      if state.waits == 0 { state.waitingSince = now }
      state.waits += 1
      state.pauseCount += 1
      return state.timer.take()
    }
    timer?.cancel()
    outer?.pause()
  }

  /// Lets the delay run again after a call of `pause`.
  package func resume() {
    let now = scheduler.uptime.inSeconds
    state.withLock { state in
      state.waits -= 1
      if state.waits == 0 { state.began += max(0, now - state.waitingSince) }
    }
    schedule()
    outer?.resume()
  }

  /// Whether the copy waits for a place.
  package var isPaused: Bool { state.withLock { $0.waits > 0 } }

  /// Ends the delay without a second copy.
  package func cancel() {
    let (timer, action) = state.withLock { state in
      state.isOver = true
      return (state.timer.take(), state.action.take())
    }
    timer?.cancel()
    withExtendedLifetime(action) {}
  }

  /// The reading of the clock when the first copy began, without the time that it has waited for places.
  package var began: TimeInterval {
    let now = scheduler.uptime.inSeconds
    return state.withLock { $0.began + ($0.waits > 0 ? max(0, now - $0.waitingSince) : 0) }
  }

  private func end(_ pauseCount: Int) {
    let action = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isOver, state.waits == 0, state.pauseCount == pauseCount else { return nil }
      state.isOver = true
      return state.action.take()
    }
    action?()
  }
}

/// The delay of a request, which is not compared: it does not describe the request.
struct HedgeDelayOfRequest: Sendable, Hashable {
  var delay: HedgeDelay?

  static func == (first: Self, second: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

import Foundation

/// The credential, who waits for a new one, and how often there was one lately.
struct RefreshState<Credential: Sendable> {
  typealias Waiter = @Sendable (Result<Credential, any Error>) -> Void

  /// What has to be done outside the lock.
  enum Step {
    case wait
    case tell([Waiter], Result<Credential, any Error>)
    case refresh(Credential, number: Int)
  }

  /// A refresh that failed.
  struct Failure {
    /// The version of the credential that could not be renewed.
    let version: Int
    /// The last attempt of a request that had begun by then.
    let attempt: UInt64
    let error: any Error
  }

  private(set) var credential: Credential?
  private let interval: TimeInterval
  private let limit: Int
  /// Grows with each new credential.
  private var version = 0
  /// The last attempt of a request that had begun when the credential came.
  private var lastAttempt = AttemptClock.now
  private var waiters: [Waiter] = []
  private var isRefreshing = false
  /// The version that is being renewed.
  private var refreshedVersion = 0
  /// Grows with each refresh, so that a second answer to one is known.
  private var number = 0
  private var refreshes: [Date] = []
  private var failure: Failure?

  init(credential: Credential?, interval: TimeInterval, limit: Int) {
    self.credential = credential
    self.interval = interval
    self.limit = limit
  }

  var present: (credential: Credential, version: Int)? { credential.map { ($0, version) } }

  /// Whether an attempt began before the present credential came, so that it may have an older one.
  func isLate(_ attempt: UInt64) -> Bool { attempt <= lastAttempt }

  /// Whether the refresh with this number is running.
  func isRefreshing(_ number: Int) -> Bool { isRefreshing && number == self.number }

  private mutating func countVersion() {
    version += 1
    lastAttempt = AttemptClock.now
  }

  mutating func replace(_ credential: Credential?) -> Credential? {
    countVersion()
    defer { self.credential = credential }
    return self.credential
  }

  /// Somebody needs a credential; `expired` is the version that was found expired or refused, `nil` where none was.
  ///
  /// An `attempt` that was refused and had begun before the refresh failed that others waited for shares in that failure.
  mutating func wait(
    expired: Int?, attempt: UInt64? = nil, now: Date, _ waiter: @escaping Waiter
  ) -> Step {
    if isRefreshing {
      waiters.append(waiter)
      return .wait
    }
    if let attempt, let failure, failure.version == version, attempt <= failure.attempt {
      return .tell([waiter], .failure(failure.error))
    }
    guard let credential else { return .tell([waiter], .failure(AuthenticationError.missingCredential)) }
    return expired == version ? refresh(credential, now, waiter) : .tell([waiter], .success(credential))
  }

  /// A refresh has ended; `spent` is what to let go of outside the lock.
  mutating func finish(
    _ number: Int, with result: Result<Credential, any Error>
  ) -> (step: Step, spent: Failure?) {
    guard isRefreshing, number == self.number else { return (.wait, nil) }
    isRefreshing = false
    let spent = failure
    failure = nil
    defer { waiters = [] }
    // One that was set meanwhile, at a login or a logout, counts.
    guard version == refreshedVersion else {
      let present = credential.map { Result<Credential, any Error>.success($0) }
      return (.tell(waiters, present ?? .failure(AuthenticationError.missingCredential)), spent)
    }
    switch result {
    case .success(let new):
      credential = new
      countVersion()
    case .failure(let error):
      failure = Failure(version: version, attempt: AttemptClock.now, error: error)
    }
    return (.tell(waiters, result), spent)
  }

  private mutating func refresh(_ credential: Credential, _ now: Date, _ waiter: @escaping Waiter) -> Step {
    // What is later than now was counted before the clock was set back.
    refreshes = refreshes.filter { (0...interval).contains(now.timeIntervalSince($0)) }
    guard refreshes.count < limit else {
      return .tell([waiter], .failure(AuthenticationError.excessiveRefresh))
    }
    refreshes.append(now)
    number += 1
    isRefreshing = true
    refreshedVersion = version
    waiters.append(waiter)
    return .refresh(credential, number: number)
  }
}

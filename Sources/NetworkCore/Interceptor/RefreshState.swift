/// The credential, and the requests that wait for a new one: the rules of each `AuthenticationInterceptor` and
/// `TokenRefresher`.
///
/// The latter stores its credential elsewhere, so that its `Credential` is `Void`.
package struct RefreshState<Credential: Sendable, Waiter> {
  /// The action to take outside the lock.
  package enum Step {
    case wait
    case resume([Waiter], Result<Credential, any Error>)
    case refresh(Credential, number: Int)
  }

  /// A refresh that failed.
  package struct Failure {
    /// The version of the credential that could not be refreshed.
    let version: Int
    /// The number of the last attempt that had begun when the refresh failed.
    let attempt: UInt64
    let error: any Error
  }

  package private(set) var credential: Credential?
  /// Grows with each new credential.
  private var version = 0
  /// The number of the last attempt that had begun when the credential was set.
  private var lastAttempt = AttemptCounter.latest
  private var waiters: [Int: Waiter] = [:]
  /// The number of requests that have waited, by which they resume in their order.
  private var waiterCount = 0
  private var isRefreshing = false
  /// The version that is being refreshed.
  private var refreshedVersion = 0
  /// Grows with each refresh, to recognize a completion that is called twice.
  private var number = 0
  /// The number of the last refresh that began with an older credential.
  private var outdatedNumber = 0
  /// The version that the late credential of a refresh got, which had timed out before the present one began.
  private var lateVersion: Int?
  private var failure: Failure?

  package init(credential: Credential?) {
    self.credential = credential
  }

  /// The number of the refresh in progress.
  package var activeRefresh: Int? { isRefreshing ? number : nil }

  /// The version of the credential that an attempt carries if it begins now, and the number of that attempt.
  package func nextAttempt() -> (version: Int, number: UInt64) { (version, AttemptCounter.next()) }

  var present: (credential: Credential, version: Int)? { credential.map { ($0, version) } }

  /// Whether an attempt began before the current credential was set, so that it may carry an older one.
  func isOutdated(_ attempt: UInt64) -> Bool { attempt <= lastAttempt }

  private mutating func countVersion() {
    version += 1
    outdatedNumber = number
    lastAttempt = AttemptCounter.latest
  }

  mutating func replace(_ credential: Credential?) -> Credential? {
    countVersion()
    return exchange(&self.credential, with: credential)
  }

  /// Removes a request that is cancelled while it waits; the caller releases the waiter outside the lock.
  package mutating func removeWaiter(_ key: Int) -> Waiter? { waiters.removeValue(forKey: key) }

  /// Gives a credential to a waiter, or adds the waiter to a refresh.
  ///
  /// `expired` is the version that a request found expired or the server refused; `nil` if there is none. If
  /// a refused `attempt` began before the last refresh failed, it fails with the error of that refresh.
  /// If there is an `obstacle`, no refresh begins, and the waiter fails with it.
  /// Returns the key of the waiter as well, if it waits.
  package mutating func wait(
    expired: Int?, attempt: UInt64? = nil, obstacle: (any Error)? = nil, _ waiter: Waiter
  ) -> (step: Step, key: Int?) {
    if isRefreshing { return (.wait, add(waiter)) }
    if let attempt, let failure, failure.version == version, attempt <= failure.attempt {
      return (.resume([waiter], .failure(failure.error)), nil)
    }
    guard let credential else {
      return (.resume([waiter], .failure(AuthenticationError.missingCredential)), nil)
    }
    guard expired == version else { return (.resume([waiter], .success(credential)), nil) }
    if let obstacle { return (.resume([waiter], .failure(obstacle)), nil) }
    number += 1
    isRefreshing = true
    refreshedVersion = version
    return (.refresh(credential, number: number), add(waiter))
  }

  private mutating func add(_ waiter: Waiter) -> Int {
    waiterCount += 1
    waiters[waiterCount] = waiter
    return waiterCount
  }

  /// Ends a refresh; after a time-out, its late credential is kept for the next requests.
  ///
  /// The caller releases the replaced values outside the lock.
  package mutating func finish(
    _ number: Int, with result: Result<Credential, any Error>
  ) -> (step: Step, replaced: (Failure?, Credential?)) {
    let replaced = (failure, credential)
    guard number == self.number, isRefreshing else {
      guard number > outdatedNumber, case .success(let late) = result else { return (.wait, (nil, nil)) }
      failure = nil
      credential = late
      countVersion()
      lateVersion = version
      // A refresh that began after this one may still have a newer credential.
      outdatedNumber = number
      return (.wait, replaced)
    }
    isRefreshing = false
    failure = nil
    let waiters = waiters.sorted { $0.key < $1.key }.map(\.value)
    self.waiters = [:]
    switch result {
    case .success(let new) where version == refreshedVersion || version == lateVersion:
      credential = new
      countVersion()
    case .failure(let error) where version == refreshedVersion:
      failure = Failure(version: version, attempt: AttemptCounter.latest, error: error)
    default:
      // A credential that was set during the refresh, at a login or logout, takes precedence.
      let present = credential.map { Result<Credential, any Error>.success($0) }
      return (.resume(waiters, present ?? .failure(AuthenticationError.missingCredential)), replaced)
    }
    return (.resume(waiters, result), replaced)
  }
}

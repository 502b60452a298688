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

  private(set) var credential: Credential?
  private let interval: TimeInterval
  private let limit: Int
  /// Grows with each new credential.
  private var version = 0
  private var waiters: [Waiter] = []
  private var isRefreshing = false
  /// Grows with each refresh, so that a second answer to one is known.
  private var number = 0
  private var refreshes: [Date] = []

  init(credential: Credential?, interval: TimeInterval, limit: Int) {
    self.credential = credential
    self.interval = interval
    self.limit = limit
  }

  var present: (credential: Credential, version: Int)? { credential.map { ($0, version) } }

  mutating func replace(_ credential: Credential?) -> Credential? {
    version += 1
    defer { self.credential = credential }
    return self.credential
  }

  /// Somebody needs a credential; `expired` is the version that was found expired or refused, `nil` where none was.
  mutating func wait(expired: Int?, now: Date, _ waiter: @escaping Waiter) -> Step {
    if isRefreshing {
      waiters.append(waiter)
      return .wait
    }
    guard let credential else { return .tell([waiter], .failure(AuthenticationError.missingCredential)) }
    return expired == version ? refresh(credential, now, waiter) : .tell([waiter], .success(credential))
  }

  mutating func finish(_ number: Int, with result: Result<Credential, any Error>) -> Step {
    guard isRefreshing, number == self.number else { return .wait }
    isRefreshing = false
    if case .success(let new) = result {
      credential = new
      version += 1
    }
    defer { waiters = [] }
    return .tell(waiters, result)
  }

  private mutating func refresh(_ credential: Credential, _ now: Date, _ waiter: @escaping Waiter) -> Step {
    refreshes = refreshes.filter { now.timeIntervalSince($0) <= interval }
    guard refreshes.count < limit else {
      return .tell([waiter], .failure(AuthenticationError.excessiveRefresh))
    }
    refreshes.append(now)
    number += 1
    isRefreshing = true
    waiters.append(waiter)
    return .refresh(credential, number: number)
  }
}

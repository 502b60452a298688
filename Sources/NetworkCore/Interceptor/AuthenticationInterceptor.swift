public import Foundation
import Locking

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Authenticates requests and renews the credential when that is needed.
///
/// Any number of requests that find the credential expired, or are refused with it, cause one refresh. They wait for it,
/// together with those that are made meanwhile, and are sent with the new credential; if there is none, all of them fail with
/// the refresh's error, and so do those that were sent before it failed and are refused later. A request that was refused
/// with an older credential is sent again without a refresh.
///
/// A plugin that sets `Authorization` comes later and wins. If the server refuses such a request, it is sent at most once more for
/// each version of the credential, and then fails with the refusal as `NetworkError.underlying` and an `OverwrittenCredentialError`,
/// which names the plugin.
///
/// A request that the refresh itself makes through the same interceptor, at once or in a task, fails with `RefreshCycleError`, since it
/// would wait for the refresh. A request that the refresh makes later on some queue is not recognized, and waits.
public final class AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestInterceptor {
  /// The kind of credential.
  public typealias Credential = AuthenticatorType.Credential

  /// How many refreshes there may be within a time.
  public struct RefreshWindow: Sendable, Hashable {
    /// The time in seconds.
    public let interval: TimeInterval
    /// How many refreshes.
    public let maximumAttempts: Int

    /// Makes a window.
    ///
    /// - Parameters:
    ///   - interval: the time in seconds.
    ///   - maximumAttempts: how many refreshes there may be in it.
    public init(interval: TimeInterval = 30.0, maximumAttempts: Int = 5) {
      self.interval = interval
      self.maximumAttempts = maximumAttempts
    }
  }

  private let authenticator: AuthenticatorType
  private let scheduler: any DelayScheduler
  private let state: Lock<RefreshState<Credential>>

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - authenticator: how requests are authenticated.
  ///   - credential: the credential to begin with, if there is one.
  ///   - refreshWindow: how many refreshes there may be; `nil` for any number.
  ///   - scheduler: whose time the window is measured in.
  public init(
    authenticator: AuthenticatorType, credential: Credential? = nil,
    refreshWindow: RefreshWindow? = RefreshWindow(), scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.authenticator = authenticator
    self.scheduler = scheduler
    self.state = Lock(
      RefreshState(
        credential: credential, interval: refreshWindow?.interval ?? 0,
        limit: refreshWindow?.maximumAttempts ?? .max))
  }

  /// The present credential; may be set on any thread, for instance at login.
  public var credential: Credential? {
    get { state.withLock { $0.credential } }
    set {
      let old = state.withLock { $0.replace(newValue) }
      withExtendedLifetime(old) {}
    }
  }

  /// Puts the credential into a request, after a refresh where one is needed or under way.
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    if let number = RunningRefresh.number(of: self), state.withLock({ $0.isRefreshing(number) }) {
      return completion(.failure(RefreshCycleError(refresher: "\(Self.self)")))
    }
    let present = state.withLock { $0.present }
    let waiter: RefreshState<Credential>.Waiter = { [authenticator] result in
      completion(
        result.map { credential in
          var request = urlRequest
          authenticator.apply(credential, to: &request)
          return request
        })
    }
    // Asked outside the lock, since it is the user's code.
    let expired = present?.credential.requiresRefresh == true ? present?.version : nil
    let now = scheduler.now
    perform(state.withLock { $0.wait(expired: expired, now: now, waiter) }, for: session)
  }

  /// Has a request that was refused sent again with a new credential.
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard let sent = request.request, let response = request.response,
      authenticator.didRequest(sent, with: response, failDueToAuthenticationError: error)
    else { return completion(.doNotRetry) }
    let (current, isLate) = state.withLock { ($0.present, $0.isLate(request.attempt)) }
    guard let (present, version) = current else {
      return completion(.doNotRetryWithError(AuthenticationError.missingCredential))
    }
    guard authenticator.isRequest(sent, authenticatedWith: present) else {
      // Sent with an older credential, or else, in spite of the present one, without it: then it would be refused for ever.
      if isLate { return completion(.retry) }
      let error = OverwrittenCredentialError(
        interceptor: "\(Self.self)", overwriter: request.authorizer, statusCode: response.statusCode)
      return completion(.doNotRetryWithError(NetworkError.underlying(error, request.answer)))
    }
    let waiter: RefreshState<Credential>.Waiter = { result in
      switch result {
      case .success: completion(.retry)
      case .failure(let error): completion(.doNotRetryWithError(error))
      }
    }
    let now = scheduler.now
    perform(
      state.withLock { $0.wait(expired: version, attempt: request.attempt, now: now, waiter) }, for: session)
  }

  private func perform(_ step: RefreshState<Credential>.Step, for session: Session) {
    switch step {
    case .wait: break
    case .tell(let waiters, let result): for waiter in waiters { waiter(result) }
    case .refresh(let credential, let number):
      let pending = Awaited(orElse: Result<Credential, any Error>.failure(UnansweredRefresh())) { result in
        let (step, spent) = self.state.withLock { $0.finish(number, with: result) }
        // The old ones are let go of here rather than under the lock: that may run the user's code.
        withExtendedLifetime((credential, spent)) {}
        self.perform(step, for: session)
      }
      RunningRefresh.run(of: self, number: number) {
        authenticator.refresh(credential, for: session) { pending($0) }
      }
    }
  }
}

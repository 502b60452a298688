public import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Authenticates requests and refreshes the credential when needed.
///
/// If several requests find the credential expired, or are refused with it, there is only one refresh. These
/// requests, and those made during the refresh, wait for it and are then sent with the new credential. If the
/// refresh fails, all of them fail with its error, and so do requests that were sent before it failed and are
/// refused later. A refresh continues if all of them are cancelled: the server may have replaced the refresh
/// token, and only its response has the new one (RFC 9700, section 4.14.2). A request that was refused with an
/// older credential is retried without a refresh. A POST or PATCH is not retried if its server redirected it to a
/// GET, and only that was refused: the server has acted on it. Alamofire's interceptor of this name also has one
/// refresh for all requests and the same window, but waits for a refresh without a limit.
///
/// A plugin that sets `Authorization` runs later and takes precedence. If the server refuses such a request,
/// it is retried at most once for each version of the credential. It then fails with
/// `NetworkError.underlying`, which contains the response and an `OverwrittenCredentialError` that names the
/// plugin.
///
/// Make the request of a refresh with a provider without this interceptor. Through the same interceptor, it
/// waits for the refresh like any other request, until `longestRefresh` ends the refresh with
/// `RefreshTimeoutError`.
public final class AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestInterceptor {
  /// The type of credential.
  public typealias Credential = AuthenticatorType.Credential

  /// A limit on the number of refreshes within an interval.
  public struct RefreshWindow: Sendable, Hashable {
    /// The interval in seconds.
    public let interval: TimeInterval
    /// The maximum number of refreshes.
    public let maximumAttempts: Int

    /// Creates a window.
    ///
    /// - Parameters:
    ///   - interval: the interval in seconds.
    ///   - maximumAttempts: the maximum number of refreshes within the interval.
    public init(interval: TimeInterval = 30.0, maximumAttempts: Int = 5) {
      self.interval = interval
      self.maximumAttempts = maximumAttempts
    }
  }

  private typealias Waiter = @Sendable (Result<Credential, any Error>) -> Void
  private typealias Step = RefreshState<Credential, Waiter>.Step

  private struct State {
    var refresh: RefreshState<Credential, Waiter>
    let window: RefreshWindow?
    /// The times of the refreshes in the window.
    var refreshes: [Date] = []

    /// Adds a waiter, whose refresh begins only if the window allows it.
    mutating func wait(
      expired: Int?, attempt: UInt64? = nil, now: Date, _ waiter: @escaping Waiter
    ) -> (step: Step, key: Int?) {
      if let window, expired != nil {
        refreshes.removeAll { date in
          let age = now.timeIntervalSince(date)
          // More than a second means that the clock was set back; less, that threads come here in another order than
          // they read it.
          return age < -1 || !(age <= window.interval)
        }
      }
      let isFull = window.map { refreshes.count >= $0.maximumAttempts } ?? false
      let result = refresh.wait(
        expired: expired, attempt: attempt, obstacle: isFull ? AuthenticationError.excessiveRefresh : nil,
        waiter)
      if case .refresh = result.step, window != nil { refreshes.append(now) }
      return result
    }
  }

  private let authenticator: AuthenticatorType
  private let longestRefresh: Duration?
  private let scheduler: any DelayScheduler
  private let state: Lock<State>

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - authenticator: authenticates requests and refreshes the credential.
  ///   - credential: the first credential, if there is one.
  ///   - refreshWindow: the limit on the number of refreshes within an interval; `nil` for no limit.
  ///   - longestRefresh: the longest time for a refresh; `nil` for no limit, for example if the user signs in.
  ///     A refresh that takes longer fails with `RefreshTimeoutError`, and so do the requests that wait for it.
  ///     A credential that arrives later still counts for the next requests. Without a limit, a refresh that
  ///     waits for itself never ends.
  ///   - scheduler: the clock of the window and of the limit; resumes the requests that have waited for one
  ///     refresh, so that none waits for the code of another one.
  public init(
    authenticator: AuthenticatorType, credential: Credential? = nil,
    refreshWindow: RefreshWindow? = RefreshWindow(), longestRefresh: Duration? = .seconds(120),
    scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.authenticator = authenticator
    self.longestRefresh = longestRefresh
    self.scheduler = scheduler
    self.state = Lock(State(refresh: RefreshState(credential: credential), window: refreshWindow))
  }

  /// The current credential; it may be set on any thread, for instance at login.
  public var credential: Credential? {
    get { state.withLock { $0.refresh.credential } }
    set {
      let old = state.withLock { $0.refresh.replace(newValue) }
      withExtendedLifetime(old) {}
    }
  }

  /// Adds the credential to a request, after a refresh if one is needed or in progress.
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, using: RequestAdapterState(requestID: UUID(), session: session), completion: completion)
  }

  /// Adds the credential to a request, after a refresh if one is needed or in progress.
  ///
  /// A request that is cancelled meanwhile is released at once, and does not end the refresh.
  public func adapt(
    _ urlRequest: URLRequest, using adapterState: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    let present = state.withLock { $0.refresh.present }
    let waiter: Waiter = { [authenticator] result in
      completion(
        result.map { credential in
          var request = urlRequest
          authenticator.apply(credential, to: &request)
          return request
        })
    }
    // `requiresRefresh` is user code, so it is called outside the lock.
    let expired = present?.credential.requiresRefresh == true ? present?.version : nil
    let now = scheduler.now
    let (step, key) = state.withLock { $0.wait(expired: expired, now: now, waiter) }
    if let key { adapterState.cancelWithRequest(removal(of: key)) }
    perform(step, for: adapterState.session)
  }

  /// Retries a refused request with a new credential.
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard let sent = request.request, let response = request.response,
      authenticator.didRequest(sent, with: response, failDueToAuthenticationError: error),
      request.receivedResponse?.mayRepeatRequest != false
    else { return completion(.doNotRetry) }
    let (current, isOutdated) = state.withLock {
      ($0.refresh.present, $0.refresh.isOutdated(request.attempt))
    }
    guard let (present, version) = current else {
      return completion(.doNotRetryWithError(AuthenticationError.missingCredential))
    }
    guard authenticator.isRequest(sent, authenticatedWith: present) else {
      // An outdated attempt may carry an older credential. Any other attempt was sent without the current
      // one, so a retry would be refused as well.
      if isOutdated { return completion(.retry) }
      let interceptor = "\(Self.self)"
      // The interceptor itself is recorded if nothing has changed the field after it.
      let overwriter = request.authorizer == interceptor ? nil : request.authorizer
      let error = OverwrittenCredentialError(
        interceptor: interceptor, overwriter: overwriter, statusCode: response.statusCode)
      return completion(.doNotRetryWithError(NetworkError.underlying(error, request.receivedResponse)))
    }
    let waiter: Waiter = { result in
      switch result {
      case .success: completion(.retry)
      case .failure(let error): completion(.doNotRetryWithError(error))
      }
    }
    let now = scheduler.now
    let (step, key) = state.withLock {
      $0.wait(expired: version, attempt: request.attempt, now: now, waiter)
    }
    if let key { request.cancelWithRequest(removal(of: key)) }
    perform(step, for: session)
  }

  /// Removes a waiter: it refers to its request, and the refresh may take long.
  private func removal(of key: Int) -> any Cancellable {
    CancellableToken { [weak self] in
      let waiter = self?.state.withLock { $0.refresh.removeWaiter(key) }
      withExtendedLifetime(waiter) {}
    }
  }

  private func perform(_ step: Step, for session: Session) {
    switch step {
    case .wait: break
    case .resume(let waiters, let result):
      guard waiters.count > 1 else { return waiters.forEach { $0(result) } }
      // Each on its own, because a waiter may call a completion, which may wait for another request.
      for waiter in waiters { _ = scheduler.schedule(after: .zero) { waiter(result) } }
    case .refresh(let credential, let number):
      let finish = { @Sendable (result: Result<Credential, any Error>) in
        let (step, replaced) = self.state.withLock { $0.refresh.finish(number, with: result) }
        // Releasing the old values may run user code, so they are released outside the lock.
        withExtendedLifetime((credential, replaced)) {}
        self.perform(step, for: session)
      }
      let timer = longestRefresh.map { limit in
        scheduler.schedule(after: limit) {
          finish(.failure(RefreshTimeoutError(refresher: "\(Self.self)", limit: limit)))
        }
      }
      let pending = FallbackCompletion(orElse: Result<Credential, any Error>.failure(DroppedRefreshError())) {
        timer?.cancel()
        finish($0)
      }
      authenticator.refresh(credential, for: session) { pending($0) }
    }
  }
}

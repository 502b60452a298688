import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The state of a request, and its pending events.
///
/// There is one method for each event. It returns the work that the request must do after it has released the
/// lock. Callbacks of one request never overlap: the thread that sets `isDelivering` delivers until `next()`
/// returns `nil`; other threads only change the state.
///
/// At any time, one reply is pending: from the `requestClosure`, an adapter, the transport, a retrier or a
/// delay. Each reply has a number, so that a repeated or late reply is recognized and ignored.
struct RequestState {
  /// An event to deliver, or a decision to request from the retriers.
  enum Step {
    case progress(ProgressResponse, RequestContext)
    /// An attempt has ended: the plugins get the `didReceive` for its `willSend`.
    case received(Result<Response, NetworkError>, RequestContext)
    /// The retriers must decide whether another attempt follows; the delivery has stopped.
    case consultRetriers(Result<Response, NetworkError>, RequestContext, replyNumber: Int)
    /// `released` is released outside the lock, because that may run the user's code.
    /// The plugins get a `didReceive` first if `needsDidReceive` is `true`.
    case end(
      Result<Response, NetworkError>, RequestContext, ProgressResponse?, needsDidReceive: Bool,
      released: RetainedObjects)
  }

  struct RetainedObjects {
    var work: (any Cancellable)?
    var original: URLRequest?
    var sent: URLRequest?
  }

  /// The events that a cancellation replaces.
  struct SpentEvents {
    let results: [Result<Response, NetworkError>?]
    let progress: ProgressResponse?
  }

  /// The number of the first reply.
  static let firstReplyNumber = 0

  private(set) var isCancelled = false
  /// Identifies the request to its interceptors; created on demand.
  private var id: UUID?
  private(set) var retryCount = 0
  /// The type of the adapter or plugin that last set `Authorization` in this attempt; recorded only if there
  /// are retriers.
  private(set) var authorizer: String?
  /// The number of the attempt; 0 if there are no retriers.
  private(set) var attempt: UInt64 = 0
  /// The reading of the clock at the start of the first attempt; 0 if there are no retriers.
  private(set) var began: TimeInterval = 0
  /// The number of the pending reply.
  private var replyNumber = firstReplyNumber
  /// Whether an attempt has ended that may have reached a server.
  private var mayHaveBeenSent = false
  /// Whether a `willSend` has not been followed by its `didReceive` yet.
  private var needsDidReceive = false
  /// `nil` after the end has been delivered, so that a token that outlives the request keeps nothing alive.
  private var context: RequestContext?
  private var isDelivering = false
  var retryTurn = RetryTurn()
  private var progress: ProgressResponse?
  /// `nil` until there is progress to deliver.
  private var throttle: ProgressThrottle?
  /// The result of an attempt, if retriers must decide about it.
  private var attemptResult: Result<Response, NetworkError>?
  private var result: Result<Response, NetworkError>?
  /// Whether the end of a cancelled request waits for its `BodyDelivery`.
  private var isClosingDelivery = false
  /// The work to cancel with the request, and the requests that a retry needs.
  private var retained = RetainedObjects()

  init(_ context: RequestContext) {
    self.context = context
  }

  /// Whether there is a result, delivered or not.
  private var hasEnded: Bool { context == nil || result != nil }

  /// Whether the reply with this number is pending.
  func isWaiting(forReply replyNumber: Int) -> Bool {
    !hasEnded && attemptResult == nil && replyNumber == self.replyNumber
  }

  /// Accepts the pending reply, and advances to the next number; returns `nil` if the reply is too late.
  mutating func acceptReply(_ replyNumber: Int) -> RequestContext? {
    guard isWaiting(forReply: replyNumber), let context else { return nil }
    self.replyNumber += 1
    return context
  }

  /// Keeps the request that every attempt begins with, if there may be more than one.
  mutating func storeOriginal(_ request: URLRequest, at reading: TimeInterval) {
    guard context?.pipeline.retriers.isEmpty == false else { return }
    retained.original = request
    began = reading
    attempt = AttemptCounter.next()
  }

  /// Returns the identifier of the request; creates it on the first call.
  mutating func makeID() -> UUID {
    let id = self.id ?? UUID()
    self.id = id
    return id
  }

  /// Records a step of the preparation if it changed `Authorization`.
  mutating func recordAuthorizer(_ step: Any.Type, changing old: URLRequest, to new: URLRequest) {
    guard retained.original != nil else { return }
    let field = "Authorization"
    if old.value(forHTTPHeaderField: field) != new.value(forHTTPHeaderField: field) { authorizer = "\(step)" }
  }

  /// Begins another attempt, and returns its request; `nil` if it is too late.
  mutating func retry(_ replyNumber: Int) -> URLRequest? {
    guard isWaiting(forReply: replyNumber) else { return nil }
    retryCount += 1
    attempt = AttemptCounter.next()
    authorizer = nil
    return retained.original
  }

  /// Starts to notify plugins that the prepared request is sent; `false` if it is too late.
  ///
  /// The end of a request that is cancelled meanwhile waits for `endWillSend(sending:)`.
  mutating func startWillSend(_ replyNumber: Int) -> Bool {
    guard acceptReply(replyNumber) != nil else { return false }
    needsDidReceive = true
    isDelivering = true
    return true
  }

  /// Called when the plugins have been notified.
  ///
  /// Returns whether to start the transfer, or else to deliver the end, and the previous request, which the caller
  /// releases.
  mutating func endWillSend(sending request: URLRequest) -> (mustSend: Bool, previous: URLRequest?) {
    isDelivering = result != nil
    let previous = retained.sent
    if retained.original != nil { retained.sent = request }
    return (!isDelivering, previous)
  }

  /// The last request that was sent, for retriers.
  var sentRequest: URLRequest? { retained.sent }

  /// Keeps the work whose result is the reply with this number.
  ///
  /// Returns whether the caller must cancel it, and the previous work, which the caller releases.
  mutating func attach(_ work: any Cancellable, replyNumber: Int) -> (
    mustCancel: Bool, previous: (any Cancellable)?
  ) {
    guard isWaiting(forReply: replyNumber) else { return (isCancelled, nil) }
    return (false, exchange(&retained.work, with: work))
  }

  /// The scheduler for progress; `nil` if progress is no longer observed.
  var progressClock: (any DelayScheduler)? {
    guard !hasEnded, let context, context.progress != nil else { return nil }
    return context.pipeline.scheduler
  }

  /// Reports progress.
  ///
  /// Returns whether the caller must start delivering, and the delay after which it must call
  /// `resumeProgress(now:)`.
  mutating func report(
    _ progress: ProgressResponse, replyNumber: Int, now: Date
  ) -> (mustDeliver: Bool, wait: TimeInterval?) {
    guard isWaiting(forReply: replyNumber) else { return (false, nil) }
    let throttle = self.throttle ?? ProgressThrottle()
    self.throttle = throttle
    return apply(throttle.report(progress, now: now))
  }

  /// Delivers the pending progress after its delay; returns the same values as `report(_:replyNumber:now:)`.
  mutating func resumeProgress(now: Date) -> (mustDeliver: Bool, wait: TimeInterval?) {
    guard !hasEnded, let throttle else { return (false, nil) }
    return apply(throttle.resume(now: now))
  }

  private mutating func apply(_ step: ProgressThrottle.Step) -> (mustDeliver: Bool, wait: TimeInterval?) {
    switch step {
    case .deliver(let progress):
      self.progress = progress
      return (startDelivering(), nil)
    case .wait(let seconds): return (false, seconds)
    case .nothing: return (false, nil)
    }
  }

  /// Ends an attempt, or the request, and returns whether the caller must start delivering.
  mutating func finish(_ result: Result<Response, NetworkError>, replyNumber: Int) -> Bool {
    guard let context = acceptReply(replyNumber) else { return false }
    let result = provenForAllAttempts(result)
    if needsDidReceive, context.pipeline.consultsRetriers(about: result),
      retained.original?.canBeSentAgain == true,
      context.delivery?.isRepeatable ?? true
    {
      attemptResult = result
      // A timer would deliver it on another thread while the next attempt starts.
      throttle?.dropPending()
    } else {
      self.result = result
    }
    return startDelivering()
  }

  /// Returns a result whose error proves that the request was not sent only if no attempt may have been sent.
  private mutating func provenForAllAttempts(
    _ result: Result<Response, NetworkError>
  ) -> Result<Response, NetworkError> {
    guard case .failure(.underlying(let error as TransferError, let response)) = result, error.isUnsent else {
      mayHaveBeenSent = true
      return result
    }
    return mayHaveBeenSent ? .failure(.underlying(error.withoutProof, response)) : result
  }

  /// Cancels the request.
  ///
  /// Returns whether the caller must start delivering, the work to cancel before that, and what the caller releases;
  /// `nil` if the end was delivered or a cancellation is pending.
  ///
  /// A pending result is replaced, because a cancelled request never reports a success.
  mutating func cancel() -> (
    mustDeliver: Bool, work: (any Cancellable)?, delivery: (any BodyDelivery)?, spent: SpentEvents
  )? {
    isCancelled = true
    guard let context, !isClosingDelivery else { return nil }
    let spent = SpentEvents(results: [result, attemptResult], progress: progress)
    result = .failure(.cancelled)
    attemptResult = nil
    progress = nil
    isClosingDelivery = context.delivery != nil
    return (!isClosingDelivery && startDelivering(), retained.work.take(), context.delivery, spent)
  }

  /// Called when the delivery of a cancelled request has released its resources; returns whether the caller
  /// must start delivering.
  mutating func didCloseDelivery() -> Bool {
    isClosingDelivery = false
    return context != nil && startDelivering()
  }

  /// Returns the next event to deliver; `nil` ends the delivery.
  mutating func next() -> Step? {
    if let context {
      if let progress {
        self.progress = nil
        return .progress(progress, context)
      }
      if let attemptResult { return next(after: attemptResult, context) }
      if let result, !isClosingDelivery {
        self.context = nil
        self.result = nil
        defer { retained = RetainedObjects() }
        return .end(
          result, context, throttle?.latest, needsDidReceive: needsDidReceive, released: retained)
      }
    }
    isDelivering = false
    return nil
  }

  private mutating func next(after attemptResult: Result<Response, NetworkError>, _ context: RequestContext)
    -> Step
  {
    if needsDidReceive {
      needsDidReceive = false
      return .received(attemptResult, context)
    }
    self.attemptResult = nil
    isDelivering = false
    return .consultRetriers(attemptResult, context, replyNumber: replyNumber)
  }

  private mutating func startDelivering() -> Bool { !exchange(&isDelivering, with: true) }
}

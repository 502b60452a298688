import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a request stands, and what is still to be told of it.
///
/// There is one method for each thing that can happen; it says what has to be done, and the request does that after
/// giving the lock back. Callbacks of one request never overlap: whoever turns `isTelling` on goes on telling until
/// `next()` has nothing more, and everybody else only leaves word.
///
/// At any time one answer is waited for: of the `requestClosure`, an adapter, the transport, a retrier or a delay. Each
/// carries the number of its turn, so that one that comes twice, or too late, is known and ignored.
struct RequestState {
  /// Something to tell, or to ask.
  enum Step {
    case progress(ProgressResponse, RequestContext)
    /// An attempt is over: the plugins get the `didReceive` that they are owed.
    case received(Result<Response, NetworkError>, RequestContext)
    /// The retriers decide whether that was the last attempt; nobody is telling any more.
    case undecided(Result<Response, NetworkError>, RequestContext, turn: Int)
    /// `spent` is what to let go of outside the lock, since that may run code of a user.
    case end(Result<Response, NetworkError>, RequestContext, Receipt, spent: Spent)
  }

  /// Which plugins get a `didReceive` at the end of a request.
  enum Receipt {
    /// None: they have had it, or the request failed before it was sent.
    case none
    /// All: they were told that the request was sent.
    case sent
    /// Those that take one without a `willSend`: the request was cancelled before it was sent.
    case unsent
  }

  struct Spent {
    var work: (any Cancellable)?
    var original: URLRequest?
    var sent: URLRequest?
  }

  /// The number of the first answer that is waited for.
  static let firstTurn = 0

  private(set) var isCancelled = false
  /// Tells the request apart from others for its interceptors; made where there are any.
  private var id: UUID?
  private(set) var retryCount = 0
  /// The type of the adapter or plugin that set `Authorization` last in this attempt; noted only where there are retriers.
  private(set) var authorizer: String?
  /// The number of the attempt; 0 where there is nobody to retry.
  private(set) var attempt: UInt64 = 0
  /// Number of the answer that is waited for.
  private var turn = firstTurn
  /// Whether a `willSend` has not been followed by its `didReceive` yet.
  private var owesReceipt = false
  /// Whether there has been a `willSend`, in any attempt.
  private var wasAnnounced = false
  /// `nil` once the end has been told, so that a token that outlives the request keeps nothing alive.
  private var context: RequestContext?
  private var isTelling = false
  private var isRetrying = false
  private var queuedRetry: Int?
  private var progress: ProgressResponse?
  /// `nil` until there is progress to tell of.
  private var pace: ProgressPace?
  /// What an attempt ended with that retriers are asked about.
  private var outcome: Result<Response, NetworkError>?
  private var result: Result<Response, NetworkError>?
  /// Whether the end of a cancelled request waits for its `BodyDelivery`.
  private var isAbandoning = false
  /// What to cancel with the request, and what a retry needs.
  private var kept = Spent()

  init(_ context: RequestContext) {
    self.context = context
  }

  /// Whether there is a result; it may not have been told yet.
  private var hasEnded: Bool { context == nil || result != nil }

  /// Whether the answer with this number is still waited for.
  func isWaiting(for turn: Int) -> Bool { !hasEnded && outcome == nil && turn == self.turn }

  /// The answer that was waited for has come, and the next one has the next number; `nil` where it is too late.
  mutating func proceed(_ turn: Int) -> RequestContext? {
    guard isWaiting(for: turn), let context else { return nil }
    self.turn += 1
    return context
  }

  /// The request as every attempt begins with; kept only where there may be more than one.
  mutating func keep(original request: URLRequest) {
    guard context?.pipeline.retriers.isEmpty == false else { return }
    kept.original = request
    attempt = AttemptClock.next()
  }

  /// What tells the request apart from others.
  mutating func identify() -> UUID {
    let id = self.id ?? UUID()
    self.id = id
    return id
  }

  /// Notes what a step of the preparation has made of the request.
  mutating func note(_ step: Any.Type, changing old: URLRequest, to new: URLRequest) {
    guard kept.original != nil else { return }
    let field = "Authorization"
    if old.value(forHTTPHeaderField: field) != new.value(forHTTPHeaderField: field) { authorizer = "\(step)" }
  }

  /// Another attempt is to begin; says with what number, unless one is just beginning, further up the stack perhaps: that
  /// one's `nextRetry()` sees to it.
  mutating func queueRetry(_ turn: Int) -> Int? {
    guard !isRetrying else {
      queuedRetry = turn
      return nil
    }
    isRetrying = true
    return turn
  }

  /// An attempt has begun; the number of another one that was queued meanwhile.
  mutating func nextRetry() -> Int? {
    defer { queuedRetry = nil }
    isRetrying = queuedRetry != nil
    return queuedRetry
  }

  /// What another attempt begins with, unless that is too late.
  mutating func retry(_ turn: Int) -> URLRequest? {
    guard isWaiting(for: turn) else { return nil }
    retryCount += 1
    attempt = AttemptClock.next()
    authorizer = nil
    return kept.original
  }

  /// The request is prepared; the plugins are told that it is sent, unless that is too late.
  ///
  /// A cancel that comes while they are told has to wait for `isAnnounced()`.
  mutating func announce(_ turn: Int) -> Bool {
    guard proceed(turn) != nil else { return false }
    owesReceipt = true
    wasAnnounced = true
    isTelling = true
    return true
  }

  /// The plugins have been told; says whether to start the transfer rather than tell the end.
  mutating func isAnnounced(sending request: URLRequest) -> Bool {
    isTelling = result != nil
    if kept.original != nil { kept.sent = request }
    return !isTelling
  }

  /// What was sent last, as retriers see it.
  var sentRequest: URLRequest? { kept.sent }

  /// Something is under way that ends with the answer of this number; says whether it has to be cancelled, and what to
  /// let go of.
  mutating func attach(_ work: any Cancellable, turn: Int) -> (mustCancel: Bool, spent: (any Cancellable)?) {
    guard isWaiting(for: turn) else { return (isCancelled, nil) }
    defer { kept.work = work }
    return (false, kept.work)
  }

  /// Whose time progress is told in; `nil` where nobody looks at it any more.
  var progressClock: (any DelayScheduler)? {
    guard !hasEnded, let context, context.progress != nil else { return nil }
    return context.pipeline.scheduler
  }

  /// The request has come further; says whether to start telling, or when to come back.
  mutating func report(
    _ progress: ProgressResponse, turn: Int, now: Date
  ) -> (tell: Bool, wait: TimeInterval?) {
    guard isWaiting(for: turn) else { return (false, nil) }
    let pace = self.pace ?? ProgressPace()
    self.pace = pace
    return take(pace.report(progress, now: now))
  }

  /// The time has come to tell of what is known; says whether to start telling, or when to come back.
  mutating func resumeProgress(now: Date) -> (tell: Bool, wait: TimeInterval?) {
    guard !hasEnded, let pace else { return (false, nil) }
    return take(pace.resume(now: now))
  }

  private mutating func take(_ step: ProgressPace.Step) -> (tell: Bool, wait: TimeInterval?) {
    switch step {
    case .tell(let progress):
      self.progress = progress
      return (startTelling(), nil)
    case .wait(let seconds): return (false, seconds)
    case .nothing: return (false, nil)
    }
  }

  /// An attempt has ended, or the request has; says whether to start telling.
  mutating func settle(_ result: Result<Response, NetworkError>, turn: Int) -> Bool {
    guard let context = proceed(turn) else { return false }
    if owesReceipt, context.pipeline.asksRetriers(about: result), kept.original?.canBeSentAgain == true,
      context.delivery?.isRepeatable ?? true
    {
      outcome = result
    } else {
      self.result = result
    }
    return startTelling()
  }

  /// The caller has lost interest; says whether to start telling, and what to cancel after that: `nil` where all is over.
  ///
  /// A result that has not been told yet is replaced: after a cancel nobody is told of a success.
  mutating func cancel() -> (tell: Bool, work: (any Cancellable)?, delivery: (any BodyDelivery)?)? {
    isCancelled = true
    guard let context, !isAbandoning else { return nil }
    result = .failure(.cancelled)
    outcome = nil
    progress = nil
    isAbandoning = context.delivery != nil
    defer { kept.work = nil }
    return (!isAbandoning && startTelling(), kept.work, context.delivery)
  }

  /// The delivery of a cancelled request has released what it held; says whether to start telling.
  mutating func isAbandoned() -> Bool {
    isAbandoning = false
    return context != nil && startTelling()
  }

  /// What to tell next.
  mutating func next() -> Step? {
    if let context {
      if let progress {
        self.progress = nil
        return .progress(progress, context)
      }
      if let outcome { return next(after: outcome, context) }
      if let result, !isAbandoning {
        self.context = nil
        self.result = nil
        defer { kept = Spent() }
        return .end(result, context, receipt(in: context), spent: kept)
      }
    }
    isTelling = false
    return nil
  }

  private func receipt(in context: RequestContext) -> Receipt {
    if owesReceipt { return .sent }
    // The plugins hear of a shared transfer once, from its own call.
    return isCancelled && !wasAnnounced && !context.joinsTransfer ? .unsent : .none
  }

  private mutating func next(after outcome: Result<Response, NetworkError>, _ context: RequestContext) -> Step
  {
    if owesReceipt {
      owesReceipt = false
      return .received(outcome, context)
    }
    self.outcome = nil
    isTelling = false
    return .undecided(outcome, context, turn: turn)
  }

  private mutating func startTelling() -> Bool {
    defer { isTelling = true }
    return !isTelling
  }
}

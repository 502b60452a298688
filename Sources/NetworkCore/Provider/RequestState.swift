/// Where a request stands, and what is still to be told of it.
///
/// There is one method for each thing that can happen; it says what has to be done, and the request does that after
/// giving the lock back. Callbacks of one request never overlap: whoever turns `isTelling` on goes on telling until
/// `next()` has nothing more, and everybody else only leaves word.
struct RequestState {
  private enum Phase {
    /// The request is being built, perhaps by an asynchronous `requestClosure`.
    case building
    /// The plugins are preparing it.
    case preparing
    /// The plugins have been told, or are just being told, that it is sent.
    case sent
  }

  /// Something to tell the caller.
  enum Step {
    case progress(ProgressResponse, RequestContext)
    /// `spent` is a transfer to let go of outside the lock, since that may run a transport's code.
    case end(Result<Response, NetworkError>, RequestContext, wasSent: Bool, spent: (any Cancellable)?)
  }

  private(set) var isCancelled = false
  private var phase = Phase.building
  /// `nil` once the end has been told, so that a token that outlives the request keeps nothing alive.
  private var context: RequestContext?
  private var isTelling = false
  private var progress: ProgressResponse?
  private var result: Result<Response, NetworkError>?
  private var transfer: (any Cancellable)?

  init(_ context: RequestContext) {
    self.context = context
  }

  /// Whether there is a result; it may not have been told yet.
  var hasEnded: Bool { context == nil || result != nil }

  /// The request is built; the plugins may prepare it, unless that has been done or the end has come.
  mutating func prepare() -> RequestContext? {
    guard phase == .building, result == nil, let context else { return nil }
    phase = .preparing
    return context
  }

  /// The request is prepared; says whether to tell the plugins that it is sent.
  ///
  /// A cancel that comes while they are told has to wait for `isAnnounced()`.
  mutating func announce() -> Bool {
    guard !hasEnded else { return false }
    phase = .sent
    isTelling = true
    return true
  }

  /// The plugins have been told; says whether to start the transfer rather than tell the end.
  mutating func isAnnounced() -> Bool {
    isTelling = result != nil
    return !isTelling
  }

  /// The transfer is started; says whether it has to be cancelled.
  mutating func attach(_ transfer: any Cancellable) -> Bool {
    if !hasEnded { self.transfer = transfer }
    return isCancelled
  }

  /// The request has come further; says whether to start telling.
  mutating func report(_ progress: ProgressResponse) -> Bool {
    guard !hasEnded else { return false }
    self.progress = progress
    return startTelling()
  }

  /// The request has ended; says whether to start telling.
  mutating func settle(_ result: Result<Response, NetworkError>) -> Bool {
    guard !hasEnded else { return false }
    self.result = result
    return startTelling()
  }

  /// The caller has lost interest; says whether to start telling, and what transfer to cancel after that.
  ///
  /// A result that has not been told yet is replaced: after a cancel nobody is told of a success.
  mutating func cancel() -> (tell: Bool, transfer: (any Cancellable)?) {
    isCancelled = true
    guard context != nil else { return (false, nil) }
    result = .failure(.cancelled)
    progress = nil
    defer { transfer = nil }
    return (startTelling(), transfer)
  }

  /// What to tell next.
  mutating func next() -> Step? {
    if let context {
      if let progress {
        self.progress = nil
        return .progress(progress, context)
      }
      if let result {
        self.context = nil
        self.result = nil
        defer { transfer = nil }
        return .end(result, context, wasSent: phase == .sent, spent: transfer)
      }
    }
    isTelling = false
    return nil
  }

  private mutating func startTelling() -> Bool {
    defer { isTelling = true }
    return !isTelling
  }
}

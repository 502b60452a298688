extension Composition {
  /// Draws a program.
  public init(seed: UInt64) {
    self.seed = seed
    var numbers = SplitMix64(seed: seed)
    layers = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in numbers.pick() }
    operators = (0..<Int.random(in: 0...4, using: &numbers)).map { _ in numbers.pick() }
    innerOperators = (0..<Int.random(in: 0...2, using: &numbers)).map { _ in numbers.pick() }
    plugins = Plugin.allCases.filter { _ in numbers.isOne(in: 6) }
    shape = numbers.pick()
    // It computes for a tenth of a second.
    if shape == .burst, !numbers.isOne(in: 10) { shape = .single }
    fault = numbers.pick()
    handler = numbers.pick()
    cancellation = Bool.random(using: &numbers) ? .none : numbers.pick()
    tokenSource = numbers.pick()
    posts = numbers.isOne(in: 3)
    loops = Int.random(in: 1...2, using: &numbers)
    subscribers = Int.random(in: 1...2, using: &numbers)
    sharesInflight = Bool.random(using: &numbers)
    changesUser = numbers.isOne(in: 6)
    refreshesElsewhere = Bool.random(using: &numbers)
    isAlone = numbers.isOne(in: 8)
    isVirtual = numbers.isOne(in: 4)
    hasStrangers = numbers.isOne(in: 3)
    if numbers.isOne(in: 4) { makeDangerous(&numbers) }
    makeConsistent()
  }

  /// Puts parts together that depend on each other, which chance alone rarely does.
  private mutating func makeDangerous(_ numbers: inout SplitMix64) {
    let between = operators.prefix(1)
    let retry: Operator = Bool.random(using: &numbers) ? .retry : .budgetedRetry
    switch Int.random(in: 0..<7, using: &numbers) {
    case 0:
      // A POST that waits in a queue, and may be hedged there.
      (shape, posts, fault, subscribers, cancellation) = (.single, true, .slow, 2, .none)
      operators = [.limited] + between + [Bool.random(using: &numbers) ? .hedged : .hedgedUnknown]
    case 1:
      // A request that is refused after a POST, and retried.
      (shape, posts, cancellation) = (.chain, true, .none)
      fault = Bool.random(using: &numbers) ? .unavailableOnce : .resetOnce
      operators = between + [retry]
      if Bool.random(using: &numbers) { innerOperators = [Bool.random(using: &numbers) ? .shared : .cached] }
    case 2:
      // Pages in a queue, in which unrelated requests wait, too.
      (shape, hasStrangers, cancellation) = (
        Bool.random(using: &numbers) ? .pages : .strangePages, true, .none
      )
      operators = [.limited] + between + [retry]
      fault = Bool.random(using: &numbers) ? .unavailableOnce : .none
    case 3:
      // A refresh within a retry.
      (fault, shape, cancellation) = (.refusedThenUnavailable, .single, .none)
      operators = [.refreshing] + between + [retry]
      if tokenSource == .configuration { tokenSource = .plugin }
    case 4:
      // Credentials that a cache does not see.
      layers = [numbers.pick(), numbers.pick(), .caching]
      tokenSource = Bool.random(using: &numbers) ? .configuration : .innerLayer
      (shape, posts, fault, cancellation) = (.single, false, .none, .none)
    case 5:
      // A WebSocket that breaks, and is opened again.
      shape = Bool.random(using: &numbers) ? .socket : .topics
      (fault, operators, cancellation) = (.resetOnce, between + [retry], .none)
    default:
      // A task that is cancelled before it sends anything.
      (shape, cancellation) = (Bool.random(using: &numbers) ? .task : .taskOfSingle, .atOnce)
    }
  }

  /// Changes parts that a program cannot have together.
  private mutating func makeConsistent() {
    // A limit inside itself would wait for its own place.
    innerOperators = shape == .chain ? innerOperators.withOneAtMost(.limited) : []
    operators = operators.withOneAtMost(.limited)
    if innerOperators.contains(.limited) { operators.removeAll { $0 == .limited } }
    layers = layers.withOneAtMost(.limiting)
    if shape.isPaged || shape == .poll || shape.isSocket { posts = false }
    if shape.isSocket { operators.removeAll { !$0.isForSockets } }
    if shape == .burst { makeBurst() }
    if tokenSource == .stalledInterceptor {
      if cancellation != .atOnce { cancellation = .later }
      hasStrangers = false
    }
    if cancellation == .seenByServer { waitForServer() }
    if fault == .silent, cancellation == .none { cancellation = .onArrival }
    if changesUser { shareBetweenUsers() }
    if isAlone { loops = 1 }
  }

  /// Makes requests whose handlers compute, on a transport that has no other handlers.
  private mutating func makeBurst() {
    (handler, isAlone, cancellation, changesUser, hasStrangers) = (.computes, true, .none, false, false)
    (operators, layers, tokenSource, fault) = ([], layers.filter { $0 == .own }, .plugin, .none)
    plugins.removeAll { $0 == .slowObserver }
    (posts, sharesInflight) = (false, false)
  }

  /// Makes a request with a callback that is cancelled while the server has it.
  private mutating func waitForServer() {
    (shape, fault, subscribers, changesUser, operators) = (.callbacks, .silent, 1, false, [])
    layers.removeAll { $0 == .chaos }
    if tokenSource == .stalledInterceptor { tokenSource = .asyncInterceptor }
  }

  /// Makes two requests that differ only in the token, at the same time.
  private mutating func shareBetweenUsers() {
    // The token must be read while the subscriber subscribes, and only then: a retry reads it again.
    (shape, operators, subscribers, fault) = (.single, [], 2, .slow)
    if tokenSource != .interceptor { tokenSource = .plugin }
    (cancellation, posts) = (.none, false)
    plugins.removeAll { $0 == .asyncPreparing || $0 == .retryPolicy }
  }
}

extension Composition.Shape {
  /// Whether the program requests page after page.
  var isPaged: Bool { isStrange || self == .pages || self == .targetPages }

  /// Whether the second page has another origin.
  var isStrange: Bool { self == .strangePages || self == .strangeTargetPages }

  /// Whether the program has an async function instead of a subscription.
  var isTask: Bool { self == .task || self == .taskOfSingle || self == .taskOfSocket }

  /// Whether the program opens WebSockets.
  var isSocket: Bool {
    switch self {
    case .socket, .latestSocket, .topics, .taskOfSocket: true
    default: false
    }
  }

  /// Whether the operators have an effect.
  var hasOperators: Bool {
    switch self {
    case .targetPages, .strangeTargetPages, .callbacks, .task, .burst, .taskOfSocket: false
    default: true
    }
  }
}

extension Composition.Operator {
  /// Whether the operator is one of sequences with many elements.
  var isForSockets: Bool {
    switch self {
    case .retry, .budgetedRetry, .limited, .observeOnPool, .observeOnQueue, .shared, .takeUntil: true
    default: false
    }
  }
}

extension Array where Element: Equatable {
  /// The elements without the later ones that equal `element`.
  fileprivate func withOneAtMost(_ element: Element) -> [Element] {
    enumerated().filter { $1 != element || $0 == firstIndex(of: element) }.map(\.element)
  }
}

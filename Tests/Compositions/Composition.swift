/// A program drawn from a seed: what it stacks, sends and cancels.
///
/// Everything that decides is in this value, so a smaller program is a copy with less in it.
public struct Composition: Sendable {
  /// A layer around the transport.
  enum Layer: String, CaseIterable { case own, caching, hedging, limiting, breaking, chaos }

  /// An operator around a request.
  enum Operator: String, CaseIterable {
    case retry, budgetedRetry, hedged, limited, breaker, refreshing, cached, timeout, observeOnPool
    case observeOnQueue, shared
  }

  /// The requests, and how they depend on each other.
  enum Shape: String, CaseIterable { case single, chain, pages, strangePages, latest, poll, callbacks }

  /// What the server does wrong.
  enum Fault: String, CaseIterable {
    case none, unavailableOnce, refusedOnce, resetOnce, slow, redirectedAway, silent
  }

  /// What the handler of a response does.
  enum Handler: String, CaseIterable { case returns, blocks, computes, sends }

  /// The moment of the disposal.
  enum Cancellation: String, CaseIterable { case none, atOnce, onArrival, later }

  /// What adds the user's token.
  enum TokenSource: String, CaseIterable { case plugin, interceptor, asyncInterceptor, layer }

  let seed: UInt64
  var layers: [Layer]
  var operators: [Operator]
  var shape: Shape
  var fault: Fault
  var handler: Handler
  var cancellation: Cancellation
  var tokenSource: TokenSource
  var posts: Bool
  var loops: Int
  var subscribers: Int
  var sharesInflight: Bool
  /// Whether the second subscriber is another user.
  var changesUser: Bool
  /// Whether the token comes from another origin.
  var refreshesElsewhere: Bool

  /// Draws a program.
  public init(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    self.seed = seed
    layers = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in .random(using: &numbers) }
    operators = (0..<Int.random(in: 0...4, using: &numbers)).map { _ in .random(using: &numbers) }
    // A limit inside itself would wait for its own place.
    operators = operators.withOneAtMost(.limited)
    layers = layers.withOneAtMost(.limiting)
    shape = .random(using: &numbers)
    fault = .random(using: &numbers)
    handler = .random(using: &numbers)
    cancellation = Bool.random(using: &numbers) ? .none : .random(using: &numbers)
    tokenSource = .random(using: &numbers)
    posts = Int.random(in: 0..<3, using: &numbers) == 0
    loops = Int.random(in: 1...2, using: &numbers)
    subscribers = Int.random(in: 1...2, using: &numbers)
    sharesInflight = Bool.random(using: &numbers)
    changesUser = Int.random(in: 0..<4, using: &numbers) == 0
    refreshesElsewhere = Bool.random(using: &numbers)
    makeConsistent()
  }

  /// Removes what a program cannot have together with the rest.
  private mutating func makeConsistent() {
    if fault == .silent, cancellation == .none { cancellation = .onArrival }
    if shape == .poll || shape == .pages || shape == .strangePages { posts = false }
    // The rules about origins and retries do not see what a shared sequence requests; the documentation says
    // so.
    if shape == .strangePages || shape == .chain && posts {
      operators.removeAll { $0 == .cached || $0 == .shared }
    }
    if changesUser {
      // The token must be read while the subscriber subscribes.
      (shape, operators, subscribers, fault) = (.single, [], 2, .slow)
      if tokenSource != .interceptor { tokenSource = .plugin }
      (cancellation, posts) = (.none, false)
    }
  }

  /// The programs that have less in them.
  var smaller: [Composition] {
    var found: [Composition] = []
    func add(_ change: (inout Composition) -> Void) {
      var copy = self
      change(&copy)
      if copy.description != description { found.append(copy) }
    }
    for index in layers.indices { add { $0.layers.remove(at: index) } }
    for index in operators.indices { add { $0.operators.remove(at: index) } }
    add { $0.handler = .returns }
    if fault != .silent { add { $0.cancellation = .none } }
    if !changesUser {
      add { $0.fault = .none }
      add { $0.subscribers = 1 }
    }
    add { $0.sharesInflight = false }
    add { $0.tokenSource = .plugin }
    add { $0.loops = 1 }
    return found
  }
}

extension Composition: CustomStringConvertible {
  /// The parts, from the wire to the subscriber.
  public var description: String {
    let names = [
      "\(loops) loops", layers.map(\.rawValue).joined(separator: " in "), "token by \(tokenSource)",
      "\(shape)\(posts ? " with POST" : "")", "fault \(fault)",
      operators.map { ".\($0.rawValue)" }.joined(), "\(subscribers) subscribers",
      changesUser ? "of two users" : "", sharesInflight ? "share in flight" : "",
      refreshesElsewhere ? "refresh elsewhere" : "", "handler \(handler)", "cancel \(cancellation)",
    ]
    return names.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

/// A generator of random numbers (Sebastiano Vigna's SplitMix64), which gives the same numbers for a seed.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension CaseIterable {
  fileprivate static func random(using numbers: inout SplitMix64) -> Self {
    let all = Array(allCases)
    return all[Int.random(in: all.indices, using: &numbers)]
  }
}

extension Array where Element: Equatable {
  /// The elements without the later ones that equal `element`.
  fileprivate func withOneAtMost(_ element: Element) -> [Element] {
    enumerated().filter { $1 != element || $0 == firstIndex(of: element) }.map(\.element)
  }
}

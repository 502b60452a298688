/// A program drawn from a seed: what it stacks, sends and cancels.
///
/// Everything that decides is in this value, so a smaller program is a copy with less in it.
public struct Composition: Sendable {
  /// A layer around the transport.
  enum Layer: String, CaseIterable {
    case own, caching, hedging, hedgingApart, limiting, rating, breaking, breakingPerOrigin, chaos, recording
  }

  /// An operator around a request.
  enum Operator: String, CaseIterable {
    case retry, budgetedRetry, hedged, hedgedUnknown, limited, breaker, refreshing, cached, timeout, rated
    case observeOnPool, observeOnQueue, shared, takeUntil
  }

  /// The requests, and how they depend on each other.
  enum Shape: String, CaseIterable {
    case single, chain, pages, strangePages, targetPages, strangeTargetPages, latest, poll, callbacks
    case task, taskOfSingle, burst
    case socket, latestSocket, topics, taskOfSocket
  }

  /// What the server does wrong.
  enum Fault: String, CaseIterable {
    case none, unavailableOnce, refusedOnce, refusedThenUnavailable, resetOnce, slow, redirectedAway, silent
  }

  /// What the handler of a response does.
  enum Handler: String, CaseIterable { case returns, blocks, computes, sends, sendsElsewhere }

  /// The moment of the disposal, and what causes it.
  enum Cancellation: String, CaseIterable { case none, atOnce, onArrival, later, trigger, seenByServer }

  /// What adds the user's token.
  enum TokenSource: String, CaseIterable {
    case plugin, interceptor, asyncInterceptor, stalledInterceptor, innerLayer, outerLayer, configuration
  }

  /// Another plugin or interceptor.
  enum Plugin: String, CaseIterable { case records, slowObserver, preparing, asyncPreparing, retryPolicy }

  let seed: UInt64
  var layers: [Layer] = []
  var operators: [Operator] = []
  /// The operators around the first request of a chain.
  var innerOperators: [Operator] = []
  var plugins: [Plugin] = []
  var shape = Shape.single
  var fault = Fault.none
  var handler = Handler.returns
  var cancellation = Cancellation.none
  var tokenSource = TokenSource.plugin
  var posts = false
  var loops = 1
  var subscribers = 1
  var sharesInflight = false
  /// Whether the second subscriber is another user.
  var changesUser = false
  /// Whether the token comes from another origin.
  var refreshesElsewhere = false
  /// Whether the program has a transport for itself.
  var isAlone = false
  /// Whether waits take place in virtual time.
  var isVirtual = false
  /// Whether unrelated requests wait in the same limit.
  var hasStrangers = false

  /// Whether a part occurs among the operators.
  func has(_ part: Operator) -> Bool { operators.contains(part) || innerOperators.contains(part) }

  /// The user who is signed in at the beginning.
  var user: String { "user\(tokenSource == .configuration ? seed % 2 : seed % 7)" }
}

extension Composition: CustomStringConvertible {
  /// The parts, from the wire to the subscriber.
  public var description: String {
    let names = [
      isAlone ? "alone" : "", isVirtual ? "virtual time" : "", "\(loops) loops",
      layers.map(\.rawValue).joined(separator: " in "), "token by \(tokenSource)",
      plugins.map { "+\($0)" }.joined(), "\(shape)\(posts ? " with POST" : "")", "fault \(fault)",
      innerOperators.map { ".\($0.rawValue)" }.joined() + (innerOperators.isEmpty ? "" : " within "),
      operators.map { ".\($0.rawValue)" }.joined(), "\(subscribers) subscribers",
      changesUser ? "of two users" : "", sharesInflight ? "share in flight" : "",
      hasStrangers ? "strangers" : "", refreshesElsewhere ? "refresh elsewhere" : "", "handler \(handler)",
      "cancel \(cancellation)",
    ]
    return names.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

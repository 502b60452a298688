extension Composition {
  /// Whether each subscriber must receive a response, because the program repairs what the server does wrong.
  var mustSucceed: Bool {
    guard cancellation == .none, !shape.isStrange, !layers.contains(.chaos) else { return false }
    let operators = shape.hasOperators ? operators : []
    let retries = !posts && (operators.contains(.retry) || operators.contains(.budgetedRetry))
    let refreshes = operators.contains(.refreshing)
    // A status that the program takes for a response.
    let takesAny = !shape.hasOperators && !shape.isSocket
    switch fault {
    case .redirectedAway where shape.isSocket: return false
    case .none, .slow, .redirectedAway: return true
    case .unavailableOnce: return retries || takesAny
    case .resetOnce: return retries
    // A token of the transport's configuration is not refused.
    case .refusedOnce: return refreshes || tokenSource == .configuration || takesAny
    case .refusedThenUnavailable:
      return refreshes && retries || tokenSource == .configuration && retries || takesAny
    case .silent: return false
    }
  }

  /// Whether each unrelated request must succeed.
  var mustServeStrangers: Bool { !layers.contains(.chaos) && tokenSource != .stalledInterceptor }
}

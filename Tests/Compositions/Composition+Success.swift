extension Composition {
  /// Whether each subscriber must receive a response, because the program repairs what the server does wrong.
  var mustSucceed: Bool {
    guard cancellation == .none, !shape.isStrange, !layers.contains(.chaos) else { return false }
    let operators = shape.hasOperators ? operators : []
    let retries = !posts && (operators.contains(.retry) || operators.contains(.budgetedRetry))
    let refreshes = operators.contains(.refreshing)
    switch fault {
    case .none, .slow, .redirectedAway: return true
    case .unavailableOnce: return retries || !shape.hasOperators
    case .resetOnce: return retries
    // A token of the transport's configuration is not refused.
    case .refusedOnce: return refreshes || tokenSource == .configuration || !shape.hasOperators
    case .refusedThenUnavailable:
      return refreshes && retries || tokenSource == .configuration && retries || !shape.hasOperators
    case .silent: return false
    }
  }

  /// Whether each unrelated request must succeed.
  var mustServeStrangers: Bool { !layers.contains(.chaos) && tokenSource != .stalledInterceptor }
}

import ReactiveNetworkLock

/// The completions of requests that may share a transfer; a completion is registered until it has returned.
final class InflightCallers: Sendable {
  private struct State {
    var last = 0
    var callers: [Int: (endpoint: Endpoint, completion: Completion)] = [:]
  }

  private let state = Lock(State())

  /// Registers a completion, and returns a closure that calls it and then removes it.
  func register(_ completion: @escaping Completion, of endpoint: Endpoint) -> Completion {
    let number = state.withLock { state in
      state.last += 1
      state.callers[state.last] = (endpoint, completion)
      return state.last
    }
    return { [weak self] result in
      completion(result)
      // The completion is released outside the lock, because that may run the user's code.
      let removed = self?.state.withLock { $0.callers.removeValue(forKey: number) }
      withExtendedLifetime(removed) {}
    }
  }

  /// The registered completions by endpoint, in the order of the requests.
  var completions: [Endpoint: [Completion]] {
    let callers = state.withLock { $0.callers }.sorted { $0.key < $1.key }.map(\.value)
    return Dictionary(grouping: callers, by: \.endpoint).mapValues { $0.map(\.completion) }
  }
}

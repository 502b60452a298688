import ReactiveNetworkLock
import Synchronization

/// The observers of a provider's requests: its plugins, and those that are added later.
final class RequestObservers: Sendable {
  typealias Handler = @Sendable (RequestEvent) -> Void

  private struct Handlers {
    var all: [Int: Handler] = [:]
    var last = 0
  }

  private let plugins: [any RequestObserver]
  private let handlers = Lock(Handlers())
  private let count = Atomic(0)

  /// Creates the observers of a provider: its plugins, and then the observers of its session.
  init(_ plugins: [any PluginType], session: [any RequestObserver]) {
    self.plugins = plugins.compactMap { $0 as? any RequestObserver } + session
  }

  /// Adds an observer of the requests that start after this call.
  func add(_ handler: @escaping Handler) -> CancellableToken {
    let key = handlers.withLock { handlers in
      handlers.last += 1
      handlers.all[handlers.last] = handler
      count.store(handlers.all.count, ordering: .relaxed)
      return handlers.last
    }
    return CancellableToken { [weak self] in self?.remove(key) }
  }

  private func remove(_ key: Int) {
    // Released outside the lock, because the release may run a user's code.
    let removed = handlers.withLock { handlers in
      let removed = handlers.all.removeValue(forKey: key)
      count.store(handlers.all.count, ordering: .relaxed)
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Returns the observation of a request that starts; `nil` if nothing observes it.
  func observation(by own: Handler?) -> RequestObservation? {
    guard own != nil || !plugins.isEmpty || count.load(ordering: .relaxed) > 0 else { return nil }
    let present = handlers.withLock { $0.all.keys.sorted() }
    return RequestObservation { [self] event in
      for plugin in plugins { plugin.didObserve(event) }
      for key in present {
        // A removed observer receives no more events.
        let handler = handlers.withLock { $0.all[key] }
        handler?(event)
      }
      own?(event)
    }
  }
}

import ReactiveNetworkLock

/// The requests of a session that have not ended.
final class RunningRequests: Sendable {
  private let calls = Lock([ObjectIdentifier: RequestCall]())

  /// Adds a request that starts.
  func add(_ call: RequestCall) { calls.withLock { $0[ObjectIdentifier(call)] = call } }

  /// Removes a request that has ended.
  func remove(_ call: RequestCall) {
    // The caller retains the request, so it is not released under the lock.
    _ = calls.withLock { $0.removeValue(forKey: ObjectIdentifier(call)) }
  }

  /// All requests, in no particular order.
  var all: [RequestCall] { calls.withLock { Array($0.values) } }
}

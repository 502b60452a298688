import Foundation
import NetworkCore
import ReactiveNetworkLock

extension ProgramRun {
  /// Returns what is left of the ended program after a time, in seconds.
  func faultsOfParts(after seconds: Int) -> [String] {
    let end = ContinuousClock.now + .seconds(seconds)
    var pause: UInt32 = 1_000
    while true {
      let faults = faultsOfParts
      if faults.isEmpty || ContinuousClock.now > end { return faults }
      usleep(pause)
      // The end of a cancelled request may be reported on the clock.
      clock?.advance(by: .zero)
      pause = min(2 * pause, 50_000)
    }
  }

  private var faultsOfParts: [String] {
    let state = record.state.withLock { $0 }
    var faults: [String] = []
    func add(_ count: Int, _ fault: String) {
      if count != 0 { faults.append("\(count) \(fault)") }
    }
    add(state.running, "is the end of a counting plugin")
    add(state.observed.count, "requests have not ended for observers")
    add(record.requestRecords.inFlight.count, "records are in flight")
    add(state.adapting, "tasks of interceptors still run")
    add(state.sockets.connections.count { $0.isOpen }, "WebSockets are open at the server")
    for limit in [policies.limit, policies.layerLimit] {
      add(limit.runningCount, "places are taken")
      add(limit.waitingCount, "requests wait for places")
    }
    add(ownTransport?.gauges?.requestsInFlight ?? 0, "requests are in flight")
    add(policies.rate.waitingCount, "requests wait for their turn")
    // The timer of a cached element runs until its lifetime ends, and that of a rate until its span ends.
    let hasTimers =
      composition.has(.cached) || composition.has(.rated) || composition.layers.contains(.rating)
    if !hasTimers { add(clock?.pendingCount ?? 0, "timers are left") }
    if policies.breaker.state != .closed { faults.append("the breaker is open") }
    return faults
  }

  /// The promises that the program broke by the server's log.
  var faultsOnTheWire: [String] {
    let hits = record.state.withLock { $0.hits }
    var faults: [String] = []
    let refusals = hits.count { $0.path == "post" && $0.isRefused }
    let posts = hits.count { $0.path == "post" }
    let allowed = composition.shape == .burst ? 0 : composition.subscribers
    if posts > allowed + refusals {
      faults.append("a POST was repeated: \(posts) for \(allowed) subscribers, \(refusals) refused")
    }
    for hit in hits where hit.isForeign {
      if hit.authorization != nil { faults.append("\(hit.path) took the token to another origin") }
      if hit.path == "page" { faults.append("a page of another origin was requested") }
    }
    // A shared sequence has no task.
    let isShared =
      composition.shape == .taskOfSingle && (composition.has(.shared) || composition.has(.cached))
    let isCancelled = composition.shape.isTask && composition.cancellation == .atOnce
    if isCancelled, !isShared, record.state.withLock({ $0.sent }) > 0 {
      faults.append("a cancelled task sent a request")
    }
    return faults
  }
}

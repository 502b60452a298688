import ReactiveNetworkLock
import LoopbackServer

/// A service in this process with a limited capacity, occasional slow responses, and an outage.
struct FlakyService {
  let server: LoopbackServer
  private let queue: ServiceQueue

  /// Starts a service that can handle `capacity` requests a second.
  init(capacity: Int) throws {
    let queue = ServiceQueue(capacity: capacity)
    var options = LoopbackServer.Options()
    options.keptRequests = 0
    server = try LoopbackServer(options: options) { _ in queue.reply() }
    self.queue = queue
  }

  /// Begins or ends the outage, during which every response is a 503.
  func setFailing(_ isFailing: Bool) { queue.setFailing(isFailing) }
}

/// The requests that the service handles, one after the other.
///
/// A failing request costs as much as any other, and so does a request whose caller has left. Therefore a
/// storm of retries makes all requests wait, even after the outage.
private final class ServiceQueue: Sendable {
  /// The duration of a request that does not have to wait.
  private static let minimumDuration = Duration.milliseconds(8)
  /// One response in `slowShare` is slow, and takes `slowness` longer.
  private static let (slowShare, slowness) = (50, Duration.milliseconds(400))

  private struct State {
    var isFailing = false
    /// The time at which the service will have handled all requests that have arrived.
    var freeAt = ContinuousClock.now
    var count = 0
  }

  private let share: Duration
  private let state = Lock(State())

  init(capacity: Int) {
    share = .seconds(1) / capacity
  }

  func setFailing(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

  func reply() -> LoopbackServer.Reply {
    let (isFailing, wait) = state.withLock { state in
      let now = ContinuousClock.now
      state.freeAt = max(state.freeAt, now) + share
      state.count += 1
      let isSlow = !state.isFailing && state.count % Self.slowShare == 0
      return (state.isFailing, state.freeAt - now + Self.minimumDuration + (isSlow ? Self.slowness : .zero))
    }
    let reply: LoopbackServer.Reply = isFailing ? .status(503) : .json(#"{"price": 12}"#)
    return reply.delayed(by: wait)
  }
}

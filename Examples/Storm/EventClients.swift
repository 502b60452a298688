import ReactiveNetwork
import ReactiveNetworkLock
import LoopbackServer

/// Clients of a stream of events whose server restarts when the outage begins, after it has asked them to
/// reconnect a minute later.
final class EventClients: Sendable {
  static let count = 20

  private let server: LoopbackServer
  private let service: EventService
  private let provider: NetworkProvider<ServiceRequest>
  private let isBounded: Bool

  /// Creates the clients, whose waits have a jitter and end after a second, or neither.
  init(isBounded: Bool) throws {
    let service = EventService()
    server = try LoopbackServer { service.reply(to: $0) }
    provider = NetworkProvider(transport: try CurlTransport())
    self.service = service
    self.isBounded = isBounded
  }

  /// The waits of the clients that are back, sorted.
  var waits: [Duration] { service.waits }

  /// Ends all streams.
  func restart() { service.restart() }

  /// Receives the events until the subscription is disposed.
  func events() -> Observable<Never> {
    let clients = (0..<Self.count).map { client -> Observable<Never> in
      let request = ServiceRequest(baseURL: server.baseURL, path: "/\(client)")
      let events =
        isBounded
        ? provider.rx.events(request, jitter: 0.5, longestReconnectionTime: .seconds(1))
        : provider.rx.events(request, jitter: 0)
      return events.ignoreElements().catch { _ in .empty() }
    }
    return Observable.merge(clients)
  }
}

/// The streams that a server keeps open until its restart, and again after it.
private final class EventService: Sendable {
  private static let event = "retry: 60000\nid: 1\ndata: 12\n\n"

  private struct State {
    var restart: ContinuousClock.Instant?
    /// The time from the restart to the first request of each client that resumes its stream.
    var waits: [String: Duration] = [:]
  }

  private let gate = LoopbackServer.Gate()
  private let state = Lock(State())

  var waits: [Duration] { state.withLock { $0.waits.values.sorted() } }

  func restart() {
    let now = ContinuousClock.now
    state.withLock { $0.restart = now }
    gate.open()
  }

  func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
    let now = ContinuousClock.now
    state.withLock { state in
      if let restart = state.restart, request.headers["Last-Event-ID"] == "1",
        state.waits[request.path] == nil
      {
        state.waits[request.path] = now - restart
      }
    }
    // The stream stays open, because a byte is missing until the gate opens.
    return .bytes((Self.event + ":").utf8, type: "text/event-stream")
      .bodyHeld(until: gate.isOpen ? LoopbackServer.Gate() : gate, after: Self.event.utf8.count)
  }
}

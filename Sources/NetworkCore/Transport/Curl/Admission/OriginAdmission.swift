/// Decides how many requests to one origin libcurl gets at a time, so that few connections of HTTP/2 carry them.
///
/// libcurl (7.88) opens another connection for each request beyond what the streams of those that there are can take, and it knows
/// how many streams a server allows only once that has said so. So the first request goes alone until its answer comes, or some time
/// has passed in which the server has said it. The next ones go one by one until libcurl opens a second connection, by which the
/// number of streams is known. A third one is opened when the second is ready for more than one request, and so on up to
/// `connectionLimit`. Requests that take long do not count against that limit. If the origin speaks HTTP/1.1, there is no limit.
///
/// A value that decides and does nothing; times are nanoseconds of the loop's clock.
package struct OriginAdmission {
  /// What is known of the origin.
  package enum Version: Sendable {
    case unknown
    /// HTTP/1.1: a connection carries one request at a time.
    case exclusive
    /// HTTP/2.
    case shared
  }

  /// Where a connection stands.
  private enum Stage {
    case opening(since: UInt64)
    /// Requests can be sent; the server may not have said yet how many at a time.
    case fresh(until: UInt64)
    case ready
  }

  /// How many connections share the requests that do not take long.
  package static let connectionLimit = 4
  /// The time after which a request takes long, and the waiting ones must get on.
  package static let patience = 2 * generationTime
  private static let generationTime: UInt64 = 500_000_000
  /// The least time that a server gets to say how many streams it allows.
  package static let settlingTime: UInt64 = 20_000_000
  /// The most requests that look for a server at a time.
  private static let probeLimit = 64

  package private(set) var version = Version.unknown
  /// The streams of a connection, as far as libcurl has used them.
  package private(set) var streams = 1
  private let connectionLimit: Int
  private let streamLimit: Int
  private var connections: [CInt: Stage] = [:]
  /// How many of them are `.fresh`, and how many `.ready`.
  private var (fresh, ready) = (0, 0)
  /// The requests that libcurl has.
  package private(set) var admitted = 0
  /// Those of them that have got a connection.
  private var sent = 0
  /// How often no connection has come of a request, or nothing of any, since the last one.
  private var failures = 0
  private var ages = RequestAges()
  /// When the next generation of requests begins; `nil` while no request waits.
  private var nextGeneration: UInt64?
  /// For how many generations no request has ended.
  private var quietGenerations = 0
  private var hasEnded = false

  /// Begins with an origin of which nothing is known.
  ///
  /// - Parameters:
  ///   - perHost: the most connections that libcurl opens; `nil` for no limit.
  ///   - streamLimit: the most streams of a connection that libcurl uses.
  package init(perHost: Int?, streamLimit: Int) {
    connectionLimit = min(perHost ?? .max, Self.connectionLimit)
    self.streamLimit = streamLimit
  }

  /// Whether nothing would be lost by forgetting the origin, but for what it speaks.
  package var isIdle: Bool { admitted == 0 && connections.isEmpty }

  /// Whether libcurl may have another request now.
  package var admitsMore: Bool {
    switch version {
    case .exclusive: return true
    case .unknown:
      // Beside those that are under way, one that shows whether it gets a connection of its own.
      return ready + fresh == 0 ? admitted < probes : admitted <= sent
    case .shared:
      guard ready > 0 else { return admitted < (fresh > 0 ? max(fresh, probes) : probes) }
      let isOpening = fresh + ready < connections.count
      let mayOpen = fresh == 0 && !isOpening && connections.count < allowedConnections
      return admitted < streams * ready + fresh + (mayOpen ? 1 : 0)
    }
  }

  /// When to look again though nothing has happened; `nil` if no request waits.
  package var nextLook: UInt64? {
    guard let nextGeneration, fresh > 0 else { return nextGeneration }
    return connections.values.reduce(nextGeneration) { next, stage in
      if case .fresh(let end) = stage { min(next, end) } else { next }
    }
  }

  private static func generation(at time: UInt64) -> Int { Int(time / generationTime) }

  private var probes: Int { min(1 << min(failures, 16), Self.probeLimit) }

  private mutating func set(_ stage: Stage?, of socket: CInt) {
    switch connections.updateValue(stage ?? .ready, forKey: socket) {
    case .fresh: fresh -= 1
    case .ready: ready -= 1
    case .opening, nil: break
    }
    switch stage {
    case .fresh: fresh += 1
    case .ready: ready += 1
    case .opening: break
    case nil: connections[socket] = nil
    }
  }

  private var allowedConnections: Int {
    // The configuration's limit is libcurl's to keep: what is beyond waits there.
    isStalled ? .max : connectionLimit + (ages.old + streams - 1) / streams
  }

  private var isStalled: Bool { quietGenerations >= 2 }
}

// What happens to requests and connections.
extension OriginAdmission {
  /// Libcurl gets a request; returns its generation, to be given to `leave`.
  package mutating func admit(now: UInt64) -> Int {
    admitted += 1
    ages.advance(to: Self.generation(at: now))
    return ages.add()
  }

  /// A request waits.
  package mutating func noteWaiting(now: UInt64) {
    guard nextGeneration == nil else { return }
    nextGeneration = now + Self.generationTime
    hasEnded = false
  }

  /// Takes note of how many streams libcurl uses, at a time when all requests that have ended have left.
  package mutating func learn() {
    let carrying = max(1, ready + fresh)
    guard version == .shared, sent > streams * carrying else { return }
    streams = min(streamLimit, (sent + carrying - 1) / carrying)
  }

  /// No request waits any more.
  package mutating func noteNoneWaiting() {
    (nextGeneration, quietGenerations) = (nil, 0)
  }

  /// A socket opens for a request.
  ///
  /// - Parameters:
  ///   - socket: the socket.
  ///   - isNeeded: whether libcurl opens it because it has found no room on the connections that there are.
  ///   - now: the time.
  package mutating func noteOpening(of socket: CInt, isNeeded: Bool, now: UInt64) {
    defer { set(.opening(since: now), of: socket) }
    guard version != .exclusive, isNeeded, sent > 0 else { return }
    let carrying = ready + fresh
    guard carrying > 0 else { return }
    if version == .unknown {
      version = .exclusive
    } else {
      streams = max(1, min(streams, sent / carrying))
    }
  }

  /// A socket closes.
  package mutating func noteClosing(of socket: CInt) {
    if connections[socket] != nil { set(nil, of: socket) }
  }

  /// A request gets a connection: that of a socket which was opened for it, or one that there was.
  ///
  /// - Parameters:
  ///   - socket: the socket that was opened for it; `nil` for none.
  ///   - isFirst: whether it has had no connection before.
  ///   - now: the time.
  package mutating func noteSent(on socket: CInt?, isFirst: Bool, now: UInt64) {
    if isFirst { sent += 1 }
    failures = 0
    if let socket, case .opening(let start)? = connections[socket] {
      // To open it took two answers of the server or more: in that time it says what it allows.
      set(.fresh(until: now + max(Self.settlingTime, now - min(start, now))), of: socket)
      return
    }
    if version == .unknown, sent > max(1, ready + fresh) { version = .shared }
  }

  /// The head of an answer comes, to the request for which `socket` was opened or, where that is `nil`, to another.
  package mutating func noteAnswer(isShared: Bool, socket: CInt?) {
    version = isShared ? .shared : .exclusive
    if let socket, connections[socket] != nil { set(.ready, of: socket) }
  }

  /// A request that had a connection is sent once more, for which it has none yet.
  package mutating func noteResending() { sent -= 1 }

  /// A request leaves libcurl.
  ///
  /// - Parameters:
  ///   - generation: what `admit(now:)` returned.
  ///   - wasSent: whether it has a connection.
  ///   - isCancelled: whether it leaves because its caller wants that.
  package mutating func leave(generation: Int, wasSent: Bool, isCancelled: Bool) {
    admitted -= 1
    ages.remove(generation)
    if wasSent { sent -= 1 } else if !isCancelled { failures += 1 }
    (hasEnded, quietGenerations) = (true, 0)
  }

  /// Takes note of the time.
  package mutating func look(now: UInt64) {
    ages.advance(to: Self.generation(at: now))
    if fresh > 0, version != .exclusive {
      for (socket, stage) in connections {
        if case .fresh(let end) = stage, end <= now { set(.ready, of: socket) }
      }
    }
    guard let next = nextGeneration, next <= now else { return }
    nextGeneration = now + Self.generationTime
    quietGenerations = hasEnded ? 0 : quietGenerations + 1
    hasEnded = false
    // Whatever keeps the first from getting a connection must not keep all others.
    if isStalled, ready + fresh == 0 { failures += 1 }
  }
}

/// Counts requests by age: of this generation, of the two before, and older.
private struct RequestAges {
  private(set) var old = 0
  private var young = (0, 0, 0)
  private var generation = 0

  /// Counts a request; returns its generation.
  mutating func add() -> Int {
    young.0 += 1
    return generation
  }

  mutating func remove(_ generation: Int) {
    switch self.generation - generation {
    case 0: young.0 -= 1
    case 1: young.1 -= 1
    case 2: young.2 -= 1
    default: old -= 1
    }
  }

  mutating func advance(to generation: Int) {
    for _ in 0..<min(3, max(0, generation - self.generation)) {
      old += young.2
      young = (0, young.0, young.1)
    }
    self.generation = max(generation, self.generation)
  }
}

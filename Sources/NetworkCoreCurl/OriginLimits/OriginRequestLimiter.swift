/// Limits how many requests to one origin libcurl handles at a time, so that few HTTP/2 or HTTP/3 connections
/// carry them.
///
/// libcurl (7.88) opens another connection for each request that exceeds the streams of the open connections,
/// and learns the server's stream limit only from its settings frame. So the first request is sent alone
/// until it has a connection. A second one then shows whether that carries several requests; the others wait until a
/// response arrives or the server has had time to send its settings. They are added one by one until libcurl opens
/// a second connection, which shows the stream limit of the first. When the second can take more than one request
/// and both are full, two more are opened at the same time, then four, and so on up to `connectionLimit`.
/// Long-running requests do not count against that limit. Origins that use HTTP/1.1 have no limit.
///
/// A pure value: it has no side effects, and knows connections by their sockets, because it must visit all of
/// them as time passes. Times are nanoseconds of the loop's clock.
package struct OriginRequestLimiter {
  /// The protocol that the origin is known to speak.
  package enum Version: Sendable {
    case unknown
    /// HTTP/1.1: a connection carries one request at a time.
    case exclusive
    /// HTTP/2 or HTTP/3.
    case shared
  }

  /// The state of a connection.
  private enum ConnectionState {
    /// `isOverdue` after `longRequestTime`: such a connection no longer keeps others from being opened.
    case opening(since: UInt64, isOverdue: Bool = false)
    /// Open, but the server may not have sent its stream limit yet.
    case fresh(until: UInt64)
    case ready
  }

  /// The maximum number of connections for requests that are not long-running, unless all requests stall.
  package static let connectionLimit = 16
  /// The time after which a request counts as long-running and waiting requests must proceed.
  package static let longRequestTime = 2 * generationTime
  private static let generationTime: UInt64 = 500_000_000
  /// The least time to wait for the server's stream limit.
  package static let settlingTime: UInt64 = 20_000_000
  /// The maximum number of requests that try to connect at a time.
  private static let connectionAttemptLimit = 64

  package private(set) var version = Version.unknown
  /// The greatest number of streams that libcurl has used on a connection.
  package private(set) var streams = 1
  private let connectionLimit: Int
  private let streamLimit: Int
  private var connections: [CInt: ConnectionState] = [:]
  /// The number of connections that are `.fresh`, `.ready`, and overdue to open.
  private var (fresh, ready, overdue) = (0, 0, 0)
  /// The number of requests that libcurl handles.
  package private(set) var admitted = 0
  /// The number of admitted requests that have a connection.
  private var sent = 0
  /// How often a request failed to connect, or all requests stalled, since the last success.
  private var failures = 0
  private var ages = RequestAges()
  /// The start of the next generation of requests; `nil` if no request waits.
  private var nextGeneration: UInt64?
  /// The number of generations in which no request ended.
  private var quietGenerations = 0
  private var hasEnded = false

  /// Creates the limiter of an origin about which nothing is known.
  ///
  /// - Parameters:
  ///   - perHost: the maximum number of connections that libcurl opens to a host; `nil` for no limit.
  ///   - streamLimit: the maximum number of streams that libcurl uses on a connection.
  package init(perHost: Int?, streamLimit: Int) {
    connectionLimit = min(perHost ?? .max, Self.connectionLimit)
    self.streamLimit = streamLimit
  }

  /// Whether forgetting the origin would lose only what is known of its server.
  package var isIdle: Bool { admitted == 0 && connections.isEmpty }

  /// Whether another request may be admitted now.
  package var admitsMore: Bool {
    switch version {
    case .exclusive: return true
    case .unknown:
      // One more request than are in progress, to see whether it gets its own connection.
      return ready + fresh == 0 ? admitted < allowedConnectionAttempts : admitted <= sent
    case .shared:
      guard ready > 0 else {
        return admitted < (fresh > 0 ? max(fresh, allowedConnectionAttempts) : allowedConnectionAttempts)
      }
      // The first request without a stream shows whether there is really no room. The requests for which connections
      // are being opened have no stream. Besides a fresh connection, libcurl opens no other: it would send further
      // requests over that one, whose stream limit it may not know yet.
      let limit = fresh > 0 ? 0 : opening > 0 ? growth : min(1, growth)
      return admitted < streams * ready + overdue + fresh + max(opening, limit)
    }
  }

  /// Whether the next admitted request is to open a connection while others are opening, and must not wait for them.
  package var opensConnection: Bool {
    version == .shared && ready > 0 && opening > 0
      && admitted >= streams * ready + overdue + fresh + opening
  }

  /// Whether a connection may be opened for an admitted request.
  ///
  /// It may not if the request was admitted to a connection that its server has left meanwhile: libcurl (7.88)
  /// would open as many connections as there are such requests.
  package var admitsConnection: Bool {
    guard version == .shared else { return true }
    return opening + fresh < (ready + fresh == 0 ? allowedConnectionAttempts : growth)
  }

  /// The time to call `advance(now:)` if nothing happens before; `nil` if no request waits.
  package var nextCheck: UInt64? {
    guard let nextGeneration, fresh > 0 else { return nextGeneration }
    return connections.values.reduce(nextGeneration) { next, state in
      if case .fresh(let end) = state { min(next, end) } else { next }
    }
  }

  private static func generation(at time: UInt64) -> Int { Int(time / generationTime) }

  private var allowedConnectionAttempts: Int { min(1 << min(failures, 16), Self.connectionAttemptLimit) }

  private mutating func set(_ state: ConnectionState?, of socket: CInt) {
    switch connections.updateValue(state ?? .ready, forKey: socket) {
    case .fresh: fresh -= 1
    case .ready: ready -= 1
    case .opening(_, let isOverdue): overdue -= isOverdue ? 1 : 0
    case nil: break
    }
    switch state {
    case .fresh: fresh += 1
    case .ready: ready += 1
    case .opening(_, let isOverdue): overdue += isOverdue ? 1 : 0
    case nil: connections[socket] = nil
    }
  }

  private var allowedConnections: Int {
    // libcurl enforces the configuration's limit itself: requests beyond it wait there.
    isStalled ? .max : connectionLimit + (ages.old + streams - 1) / streams
  }

  /// The number of connections that are opening, except overdue ones.
  private var opening: Int { connections.count - fresh - ready - overdue }

  /// The maximum number of connections that are opening or fresh at a time, besides ready and overdue ones.
  private var growth: Int {
    ready < allowedConnections ? max(1, min(ready, connectionLimit - ready - overdue)) : 0
  }

  private var isStalled: Bool { quietGenerations >= 2 }
}

// Events of requests and connections.
extension OriginRequestLimiter {
  /// Admits a request; returns its generation, to be passed to `noteEnd`.
  package mutating func admit(now: UInt64) -> Int {
    admitted += 1
    ages.advance(to: Self.generation(at: now))
    return ages.add()
  }

  /// Notes that a request waits.
  package mutating func noteWaiting(now: UInt64) {
    guard nextGeneration == nil else { return }
    nextGeneration = now + Self.generationTime
    hasEnded = false
  }

  /// Updates `streams` from the requests in progress; call it after ended requests have left.
  package mutating func updateStreams() {
    let carrying = max(1, ready + fresh)
    guard version == .shared, sent > streams * carrying else { return }
    streams = min(streamLimit, (sent + carrying - 1) / carrying)
  }

  /// Notes that no request is waiting.
  package mutating func noteNoneWaiting() {
    (nextGeneration, quietGenerations) = (nil, 0)
  }

  /// Notes that libcurl opens a socket for a request.
  ///
  /// - Parameters:
  ///   - socket: the socket.
  ///   - isNeeded: whether libcurl opens it because the open connections have no room.
  ///   - now: the time.
  package mutating func noteOpening(of socket: CInt, isNeeded: Bool, now: UInt64) {
    defer { set(.opening(since: now), of: socket) }
    if isNeeded { noteFullConnections() }
  }

  /// Notes that libcurl has no room for an admitted request on the open connections.
  package mutating func noteFullConnections() {
    guard version != .exclusive, sent > 0, ready + fresh > 0 else { return }
    if version == .unknown {
      version = .exclusive
    } else {
      // Besides ready connections, fresh ones carry a request each.
      streams = max(1, min(streams, ready > 0 ? (sent - fresh) / ready : sent / fresh))
    }
  }

  /// Notes that a socket closes, or that its server has left it and accepts no further requests over it.
  package mutating func noteClosing(of socket: CInt) {
    if connections[socket] != nil { set(nil, of: socket) }
  }

  /// Notes that a request gets a connection, new or reused.
  ///
  /// - Parameters:
  ///   - socket: the socket that was opened for the request; `nil` for a reused connection.
  ///   - isFirst: whether the request has not had a connection before.
  ///   - now: the time.
  package mutating func noteSent(on socket: CInt?, isFirst: Bool, now: UInt64) {
    if isFirst { sent += 1 }
    failures = 0
    if let socket, case .opening(let start, _)? = connections[socket] {
      // Opening took at least two round trips: the server's settings arrive within the same time.
      set(.fresh(until: now + max(Self.settlingTime, now - min(start, now))), of: socket)
      return
    }
    if version == .unknown, sent > max(1, ready + fresh) { version = .shared }
  }

  /// Notes the head of a response to the request for which `socket` was opened; `nil` if it uses a reused
  /// connection.
  package mutating func noteResponse(isShared: Bool, socket: CInt?) {
    version = isShared ? .shared : .exclusive
    if let socket, connections[socket] != nil { set(.ready, of: socket) }
  }

  /// Notes that a request takes no stream of the counted connections any longer: it is to be retried, or its
  /// server has left the connection.
  ///
  /// - Parameters:
  ///   - generation: the return value of `admit(now:)`.
  ///   - wasSent: whether the request has a connection.
  package mutating func release(generation: Int, wasSent: Bool) {
    admitted -= 1
    ages.remove(generation)
    if wasSent { sent -= 1 }
  }

  /// Notes that libcurl no longer handles a request.
  ///
  /// - Parameters:
  ///   - generation: the return value of `admit(now:)`.
  ///   - wasSent: whether the request has a connection.
  ///   - isCancelled: whether the caller cancelled it.
  package mutating func noteEnd(generation: Int, wasSent: Bool, isCancelled: Bool) {
    release(generation: generation, wasSent: wasSent)
    if !wasSent, !isCancelled { failures += 1 }
    (hasEnded, quietGenerations) = (true, 0)
  }

  /// Advances the clock: ends settling times and generations.
  package mutating func advance(now: UInt64) {
    ages.advance(to: Self.generation(at: now))
    if ready + overdue < connections.count, version != .exclusive {
      for (socket, state) in connections {
        switch state {
        case .fresh(let end) where end <= now: set(.ready, of: socket)
        case .opening(let start, false) where start + Self.longRequestTime <= now:
          set(.opening(since: start, isOverdue: true), of: socket)
        default: break
        }
      }
    }
    guard let next = nextGeneration, next <= now else { return }
    nextGeneration = now + Self.generationTime
    quietGenerations = hasEnded ? 0 : quietGenerations + 1
    hasEnded = false
    // A first request that cannot connect must not block all others.
    if isStalled, ready + fresh == 0 { failures += 1 }
  }
}

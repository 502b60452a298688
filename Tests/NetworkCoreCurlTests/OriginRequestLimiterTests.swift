import NetworkCore
import Testing

@Suite("The number of concurrent requests per origin")
struct OriginRequestLimiterTests {
  /// A simulated origin that opens connections and carries requests as libcurl does.
  private struct SimulatedOrigin {
    var limiter: OriginRequestLimiter
    var now: UInt64 = 0
    /// The number of requests on each connection; socket numbers are indices.
    var connections: [Int] = []
    let streams: Int
    let opensAtOnce: Bool
    var opening: [Int] = []
    var generations: [Int] = []

    init(streams: Int, perHost: Int? = nil, streamLimit: Int = 256, opensAtOnce: Bool = true) {
      self.streams = streams
      self.opensAtOnce = opensAtOnce
      limiter = OriginRequestLimiter(perHost: perHost, streamLimit: streamLimit)
    }

    /// Sends the admitted requests, each over the first connection that has room.
    mutating func sendAll(_ waiting: inout Int) {
      limiter.advance(now: now)
      while waiting > 0, limiter.admitsMore {
        waiting -= 1
        let isNeeded = !limiter.opensConnection
        generations.append(limiter.admit(now: now))
        if let index = connections.indices.first(where: { connections[$0] < streams && !opening.contains($0) }
        ) {
          connections[index] += 1
          limiter.noteSent(on: nil, isFirst: true, now: now)
        } else {
          opening.append(connections.count)
          connections.append(1)
          limiter.noteOpening(of: CInt(connections.count - 1), isNeeded: isNeeded, now: now)
          if opensAtOnce { open() }
        }
        limiter.updateStreams()
      }
      if waiting > 0 { limiter.noteWaiting(now: now) } else { limiter.noteNoneWaiting() }
    }

    /// Opens the connections that are opening.
    mutating func open() {
      for index in opening { limiter.noteSent(on: CInt(index), isFirst: true, now: now) }
      opening = []
    }

    /// Delivers the response to the most recent request, on a given connection.
    mutating func respond(_ index: Int) {
      connections[index] -= 1
      limiter.noteResponse(isShared: streams > 1, socket: CInt(index))
      limiter.noteEnd(generation: generations.removeLast(), wasSent: true, isCancelled: false)
    }

    mutating func wait(_ milliseconds: UInt64) {
      now += milliseconds * 1_000_000
      limiter.advance(now: now)
    }
  }

  @Test("the first request runs alone until it has a connection, the second one until the response")
  func first() {
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    #expect(origin.admitsMore)
    let first = origin.admit(now: 0)
    #expect(!origin.admitsMore)
    origin.noteOpening(of: 3, isNeeded: true, now: 0)
    #expect(!origin.admitsMore)
    origin.noteSent(on: 3, isFirst: true, now: 5_000_000)
    #expect(origin.admitsMore)
    _ = origin.admit(now: 5_000_000)
    #expect(!origin.admitsMore)
    origin.noteSent(on: nil, isFirst: true, now: 5_000_000)
    #expect(origin.version == .shared)
    #expect(!origin.admitsMore)
    origin.noteResponse(isShared: true, socket: 3)
    origin.noteEnd(generation: first, wasSent: true, isCancelled: false)
    #expect(origin.admitsMore)
  }

  @Test("full connections double in number: as many open at a time as there are, up to the limit")
  func growth() {
    var origin = SimulatedOrigin(streams: 4, opensAtOnce: false)
    var waiting = 63
    var counts: [Int] = []
    while waiting > 0, counts.count < 20 {
      origin.sendAll(&waiting)
      counts.append(origin.connections.count)
      origin.open()
      origin.wait(20)
    }
    #expect(counts == [1, 2, 4, 8, 16, 16])
    #expect(origin.limiter.streams == 4)
  }

  @Test(
    "connections that open at the same time need not wait for one another; the first shows that there is no room"
  )
  func parallelOpening() {
    var origin = SimulatedOrigin(streams: 2)
    var waiting = 4
    while waiting > 0 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    #expect(origin.connections == [2, 2])
    #expect(origin.limiter.admitsMore)
    #expect(!origin.limiter.opensConnection)
    _ = origin.limiter.admit(now: origin.now)
    #expect(!origin.limiter.admitsMore)
    origin.limiter.noteOpening(of: 2, isNeeded: true, now: origin.now)
    #expect(origin.limiter.admitsMore)
    #expect(origin.limiter.opensConnection)
    #expect(origin.limiter.admitsConnection)
    _ = origin.limiter.admit(now: origin.now)
    #expect(!origin.limiter.admitsMore)
    origin.limiter.noteOpening(of: 3, isNeeded: false, now: origin.now)
    #expect(!origin.limiter.admitsConnection)
    #expect(!origin.limiter.admitsMore)
    // A place on a connection that is open is taken instead.
    origin.respond(0)
    #expect(origin.limiter.admitsMore)
    #expect(!origin.limiter.opensConnection)
    #expect(origin.limiter.streams == 2)
  }

  @Test("a fresh connection, which carries one request, does not lower the number of streams")
  func fullBesidesFresh() {
    var origin = SimulatedOrigin(streams: 4)
    var waiting = 9
    while waiting > 0 {
      origin.sendAll(&waiting)
      if waiting > 0 { origin.wait(20) }
    }
    #expect(origin.connections == [4, 4, 1])
    origin.limiter.noteFullConnections()
    #expect(origin.limiter.streams == 4)
  }

  @Test(
    "beside a fresh connection, no request is admitted without a place: libcurl would send it there")
  func roomBesidesFresh() {
    var origin = SimulatedOrigin(streams: 2)
    var waiting = 5
    while waiting > 0 {
      origin.sendAll(&waiting)
      if waiting > 0 { origin.wait(20) }
    }
    #expect(origin.connections == [2, 2, 1])
    #expect(!origin.limiter.admitsMore)
    origin.respond(0)
    #expect(origin.limiter.admitsMore)
    #expect(!origin.limiter.opensConnection)
    _ = origin.limiter.admit(now: origin.now)
    #expect(!origin.limiter.admitsMore)
    origin.wait(20)
    #expect(origin.limiter.admitsMore)
  }

  @Test("a connection that its server has left gives no room, and the requests on it take none")
  func departure() {
    var origin = SimulatedOrigin(streams: 4)
    var waiting = 9
    while waiting > 0 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    #expect(origin.connections == [4, 4, 1])
    #expect(origin.limiter.streams == 4)
    origin.limiter.noteClosing(of: 0)
    for generation in origin.generations.prefix(4) {
      origin.limiter.release(generation: generation, wasSent: true)
    }
    origin.limiter.updateStreams()
    #expect(origin.limiter.streams == 4)
    #expect(origin.limiter.admitted == 5)
    // Three more have room, and one may open another connection.
    waiting = 10
    while waiting > 0, origin.limiter.admitsMore {
      waiting -= 1
      _ = origin.limiter.admit(now: origin.now)
    }
    #expect(waiting == 6)
  }

  @Test("of the requests that were admitted to a connection that its server has left, one opens another")
  func admittedBeforeDeparture() {
    var origin = SimulatedOrigin(streams: 4)
    var waiting = 4
    while waiting > 0 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    for _ in 0..<3 { origin.respond(0) }
    for _ in 0..<3 { _ = origin.limiter.admit(now: origin.now) }
    origin.limiter.noteClosing(of: 0)
    #expect(origin.limiter.admitsConnection)
    origin.limiter.noteOpening(of: 1, isNeeded: true, now: origin.now)
    #expect(!origin.limiter.admitsConnection)
    origin.limiter.noteSent(on: 1, isFirst: true, now: origin.now)
    #expect(!origin.limiter.admitsConnection)
    origin.wait(20)
    #expect(origin.limiter.admitsConnection)
  }

  @Test("a connection that is opening for a cancelled request prevents another one from opening")
  func openingAfterCancelled() {
    var origin = SimulatedOrigin(streams: 2)
    var waiting = 1
    origin.sendAll(&waiting)
    waiting = 1
    origin.sendAll(&waiting)
    origin.wait(20)
    #expect(origin.connections == [2])
    #expect(origin.limiter.version == .shared)
    #expect(origin.limiter.admitsMore)
    let generation = origin.limiter.admit(now: origin.now)
    origin.limiter.noteOpening(of: 1, isNeeded: true, now: origin.now)
    origin.limiter.noteEnd(generation: generation, wasSent: false, isCancelled: true)
    #expect(!origin.limiter.admitsConnection)
    origin.limiter.noteClosing(of: 1)
    #expect(origin.limiter.admitsConnection)
  }

  @Test("the limit ends when a second request has its own connection, or with an HTTP/1.1 response")
  func exclusive() {
    for hasResponse in [true, false] {
      var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
      _ = origin.admit(now: 0)
      origin.noteOpening(of: 3, isNeeded: true, now: 0)
      origin.noteSent(on: 3, isFirst: true, now: 0)
      if hasResponse {
        origin.noteResponse(isShared: false, socket: 3)
      } else {
        _ = origin.admit(now: 0)
        origin.noteOpening(of: 4, isNeeded: true, now: 0)
      }
      #expect(origin.version == .exclusive)
      for _ in 0..<1_000 {
        #expect(origin.admitsMore)
        _ = origin.admit(now: 0)
      }
    }
  }

  @Test("requests fill the streams of few connections, one after another", arguments: [2, 8, 100, 256])
  func filled(streams: Int) {
    var origin = SimulatedOrigin(streams: streams)
    var waiting = 5_000
    origin.sendAll(&waiting)
    #expect(origin.connections == [1] || origin.connections == [2])
    for _ in 0..<30 {
      origin.wait(20)
      origin.sendAll(&waiting)
      #expect(origin.connections.count <= OriginRequestLimiter.connectionLimit)
    }
    #expect(origin.connections == Array(repeating: streams, count: OriginRequestLimiter.connectionLimit))
    #expect(origin.limiter.streams == streams)
    // When one request ends, one is sent.
    origin.respond(1)
    origin.sendAll(&waiting)
    #expect(origin.connections == Array(repeating: streams, count: OriginRequestLimiter.connectionLimit))
  }

  @Test("the limits of the configuration apply", arguments: [(1, 256, 1), (2, 256, 2), (nil, 3, 16)])
  func limits(perHost: Int?, streamLimit: Int, expected: Int) {
    var origin = SimulatedOrigin(streams: min(8, streamLimit), perHost: perHost, streamLimit: streamLimit)
    var waiting = 500
    for _ in 0..<30 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    #expect(origin.connections.count == expected)
  }

  @Test("if no request ends for a second, more connections open for all waiting requests")
  func stalled() {
    var origin = SimulatedOrigin(streams: 8)
    var waiting = 200
    while origin.now < 900_000_000 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    #expect(origin.connections.count == OriginRequestLimiter.connectionLimit)
    while origin.now < 2_000_000_000 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    #expect(waiting == 0)
    #expect(origin.connections.reduce(0, +) == 200)
    // The next request finds all streams taken for a long time.
    origin.wait(5_000)
    waiting = 1
    origin.sendAll(&waiting)
    origin.wait(20)
    origin.sendAll(&waiting)
    #expect(waiting == 0)
  }

  @Test("long requests make room for others, although some requests end")
  func held() {
    var origin = SimulatedOrigin(streams: 8)
    var waiting = 31
    while waiting > 0 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    origin.wait(2_000)
    waiting = 300
    origin.sendAll(&waiting)
    while origin.now < 3_000_000_000 {
      // Only the most recent request ends.
      if let last = origin.connections.indices.last { origin.respond(last) }
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    #expect(origin.connections.count > OriginRequestLimiter.connectionLimit)
    #expect(origin.connections.count <= 2 * OriginRequestLimiter.connectionLimit)
  }

  @Test("a request that gets no connection allows others to try, unless it was cancelled")
  func failures() {
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    origin.noteEnd(generation: origin.admit(now: 0), wasSent: false, isCancelled: true)
    _ = origin.admit(now: 0)
    #expect(!origin.admitsMore)
    origin.noteEnd(generation: 0, wasSent: false, isCancelled: false)
    _ = origin.admit(now: 0)
    #expect(origin.admitsMore)
    _ = origin.admit(now: 0)
    #expect(!origin.admitsMore)
  }

  @Test("after a request has connected, the next connection is opened for one request alone again")
  func failureBeforeSuccess() {
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    origin.noteEnd(generation: origin.admit(now: 0), wasSent: false, isCancelled: false)
    let generation = origin.admit(now: 0)
    #expect(origin.admitsMore)
    origin.noteOpening(of: 3, isNeeded: true, now: 0)
    origin.noteSent(on: 3, isFirst: true, now: 0)
    origin.noteEnd(generation: generation, wasSent: true, isCancelled: false)
    origin.noteClosing(of: 3)
    _ = origin.admit(now: 0)
    #expect(!origin.admitsMore)
  }

  @Test("at most 64 requests try to connect at a time, however many have failed to")
  func attemptLimit() {
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    for _ in 0..<10 {
      let generation = origin.admit(now: 0)
      origin.noteEnd(generation: generation, wasSent: false, isCancelled: false)
    }
    while origin.admitsMore, origin.admitted < 1_000 { _ = origin.admit(now: 0) }
    #expect(origin.admitted == 64)
  }

  @Test("a distant server has as much time to send its stream limit as its connection took to open")
  func distantServer() {
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    _ = origin.admit(now: 0)
    origin.noteOpening(of: 3, isNeeded: true, now: 0)
    origin.noteSent(on: 3, isFirst: true, now: 100_000_000)
    _ = origin.admit(now: 100_000_000)
    origin.noteSent(on: nil, isFirst: true, now: 100_000_000)
    #expect(origin.version == .shared)
    for (time, admitsMore) in [(190_000_000, false), (200_000_000, true)] as [(UInt64, Bool)] {
      origin.advance(now: time)
      origin.updateStreams()
      #expect(origin.admitsMore == admitsMore)
    }
  }

  /// Returns an origin whose connections carry as many requests as they can, after a tenth of a second.
  private func filledOrigin() -> SimulatedOrigin {
    var origin = SimulatedOrigin(streams: 2, perHost: 4)
    var waiting = 8
    while waiting > 0 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    return origin
  }

  @Test("once no request waits any longer, no further connection opens because some have waited for a second")
  func endOfStall() {
    var origin = filledOrigin()
    #expect(origin.connections == [2, 2, 2, 2])
    var waiting = 1
    origin.sendAll(&waiting)
    #expect(waiting == 1)
    for _ in 0..<2 { origin.wait(500) }
    #expect(origin.limiter.admitsMore)
    // The waiting request is cancelled.
    origin.limiter.noteNoneWaiting()
    #expect(!origin.limiter.admitsMore)
  }

  @Test("a request that ended before another began to wait does not prolong that wait")
  func endBeforeWait() {
    var origin = filledOrigin()
    origin.respond(0)
    var waiting = 2
    origin.sendAll(&waiting)
    #expect(waiting == 1)
    #expect(origin.connections == [2, 2, 2, 2])
    for _ in 0..<2 { origin.wait(500) }
    #expect(origin.limiter.admitsMore)
  }

  @Test("a request is long if it runs for more than a second, and counts no longer when it has ended")
  func longRequests() {
    var origin = filledOrigin()
    origin.wait(1_499 - origin.now / 1_000_000)
    #expect(!origin.limiter.admitsMore)
    origin.wait(1)
    #expect(origin.limiter.admitsMore)
    for index in [0, 0, 1, 1, 2, 2, 3, 3] { origin.respond(index) }
    var waiting = 9
    origin.sendAll(&waiting)
    #expect(waiting == 1)
  }

  @Test("as long as no request connects, others try to connect too: after a second, and twice as many later")
  func connectingForLong() {
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    _ = origin.admit(now: 0)
    origin.noteOpening(of: 3, isNeeded: true, now: 0)
    origin.noteWaiting(now: 0)
    for (time, admitted) in [(500_000_000, 1), (1_000_000_000, 2), (1_500_000_000, 4)] as [(UInt64, Int)] {
      origin.advance(now: time)
      while origin.admitsMore, origin.admitted < 100 { _ = origin.admit(now: time) }
      #expect(origin.admitted == admitted)
    }
  }

  @Test(
    "without a connection, as many may open as may be tried; one that opens for a second counts no longer")
  func connectionsToOpen() {
    let second = OriginRequestLimiter.longRequestTime
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    let first = origin.admit(now: 0)
    origin.noteOpening(of: 3, isNeeded: true, now: 0)
    origin.noteSent(on: 3, isFirst: true, now: 0)
    origin.noteResponse(isShared: true, socket: 3)
    origin.noteEnd(generation: first, wasSent: true, isCancelled: false)
    origin.noteClosing(of: 3)
    #expect(origin.admitsConnection)
    let next = origin.admit(now: 0)
    origin.noteOpening(of: 4, isNeeded: true, now: 0)
    #expect(!origin.admitsConnection)
    origin.advance(now: second)
    #expect(origin.admitsConnection)
    origin.noteOpening(of: 5, isNeeded: true, now: second)
    #expect(!origin.admitsConnection)
    // The next request and another one may try to connect after this failure.
    origin.noteEnd(generation: next, wasSent: false, isCancelled: false)
    #expect(origin.admitsConnection)
  }

  @Test("connections that do not open within a second are not followed by as many others")
  func manyLate() {
    var origin = SimulatedOrigin(streams: 2, opensAtOnce: false)
    var waiting = 16
    while waiting > 0 {
      origin.sendAll(&waiting)
      origin.open()
      origin.wait(20)
    }
    #expect(origin.connections == Array(repeating: 2, count: 8))
    waiting = 100
    origin.sendAll(&waiting)
    #expect(origin.opening.count == 8)
    origin.wait(1_000)
    origin.sendAll(&waiting)
    #expect(origin.opening.count == 9)
  }

  @Test("while a request waits, the limiter is checked when a connection settles and each half second")
  func checks() {
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    _ = origin.admit(now: 0)
    origin.noteOpening(of: 3, isNeeded: true, now: 0)
    origin.noteSent(on: 3, isFirst: true, now: 0)
    #expect(origin.nextCheck == nil)
    origin.noteWaiting(now: 0)
    #expect(origin.nextCheck == OriginRequestLimiter.settlingTime)
    origin.advance(now: OriginRequestLimiter.settlingTime)
    #expect(origin.nextCheck == 500_000_000)
    origin.advance(now: 500_000_000)
    #expect(origin.nextCheck == 1_000_000_000)
    origin.noteNoneWaiting()
    #expect(origin.nextCheck == nil)
  }

  @Test("of several sockets that open for one request, only the one that becomes its connection counts")
  func addresses() {
    var origin = OriginRequestLimiter(perHost: nil, streamLimit: 256)
    _ = origin.admit(now: 0)
    origin.noteOpening(of: 5, isNeeded: true, now: 0)
    origin.noteOpening(of: 6, isNeeded: false, now: 0)
    origin.noteClosing(of: 6)
    origin.noteSent(on: 5, isFirst: true, now: 0)
    origin.noteResponse(isShared: true, socket: 5)
    _ = origin.admit(now: 0)
    origin.noteSent(on: nil, isFirst: true, now: 0)
    origin.updateStreams()
    #expect(origin.streams == 2)
    #expect(origin.admitsMore)
  }

  @Test(
    "a connection that does not open prevents others from opening for one second", arguments: [true, false])
  func late(isEnding: Bool) {
    var origin = SimulatedOrigin(streams: 8)
    var waiting = 8
    for _ in 0..<20 {
      origin.sendAll(&waiting)
      origin.wait(20)
    }
    #expect(origin.connections == [8])
    // The next request gets a socket that does not open.
    #expect(origin.limiter.admitsMore)
    _ = origin.limiter.admit(now: origin.now)
    origin.limiter.noteOpening(of: 9, isNeeded: true, now: origin.now)
    waiting = 1
    origin.sendAll(&waiting)
    #expect(waiting == 1)
    for _ in 0..<6 {
      origin.wait(250)
      if isEnding {
        // One request ends and another takes its stream, so the origin makes progress.
        origin.respond(0)
        waiting += 1
      }
      origin.sendAll(&waiting)
    }
    #expect(waiting == 0)
  }
}

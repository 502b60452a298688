import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("A concurrency limit that adapts", .timeLimit(.minutes(5)))
struct LimitAdaptationTests {
  private let time = ManualDelayScheduler()

  private func limit(
    _ maxRunning: Int = 10, within range: ClosedRange<Int> = 2...40, decrease: Double = 0.5
  ) -> ConcurrencyLimit {
    ConcurrencyLimit(
      maxRunning, adapting: .aimd(slowest: .seconds(1), within: range, decrease: decrease), scheduler: time)
  }

  /// The permits of a number of calls; those of waiting calls are added when the calls start.
  private func permits(_ limit: ConcurrencyLimit, _ count: Int) -> Permits {
    let permits = Permits(time)
    for _ in 0..<count {
      _ = limit.acquire { result in
        if case .success(let permit) = result { permits.add(permit) }
      }
    }
    return permits
  }

  private final class Permits: Sendable {
    private let permits = Lock([ConcurrencyLimit.Permit]())
    private let time: ManualDelayScheduler

    init(_ time: ManualDelayScheduler) { self.time = time }

    var count: Int { permits.withLock { $0.count } }

    func add(_ permit: ConcurrencyLimit.Permit) { permits.withLock { $0.append(permit) } }

    func noteResponses() {
      for permit in permits.withLock({ $0 }) { permit.noteResponse() }
    }

    func release(_ count: Int = .max, _ ending: ConcurrencyLimit.Permit.Ending = .responded) {
      let ended = permits.withLock { permits in
        let ended = Array(permits.prefix(count))
        permits.removeFirst(ended.count)
        return ended
      }
      for permit in ended { permit.release(ending) }
      // Lets the next calls start.
      time.advance(by: .zero)
    }
  }

  @Test("the places go on shrinking after the clock was set back")
  func clockSetBack() {
    let clock = SettableClock()
    func set(_ seconds: TimeInterval) {
      clock.time.withLock { $0 = Date(timeIntervalSinceReferenceDate: seconds) }
    }
    let limit = ConcurrencyLimit(
      16, adapting: .aimd(slowest: .seconds(1), within: 2...40, decrease: 0.5), scheduler: clock)
    func overload() {
      _ = limit.acquire { if case .success(let permit) = $0 { permit.release(.overloaded) } }
    }
    set(10_000)
    overload()
    #expect(limit.maxRunning == 8)
    set(6_400)
    overload()
    #expect(limit.maxRunning == 4)
  }

  @Test("a clock that is set back during calls does not change the usual latency of a gradient")
  func gradientAfterClockSetBack() {
    let clock = SettableClock()
    let limit = ConcurrencyLimit(20, adapting: .gradient(within: 1...40), scheduler: clock)
    func round(_ difference: TimeInterval) {
      let permits = permits(limit, limit.maxRunning)
      clock.time.withLock { $0 += difference }
      permits.release()
    }
    for _ in 0..<3 { round(1) }
    round(-3_600)
    let maxRunning = limit.maxRunning
    for _ in 0..<3 { round(1) }
    #expect(limit.maxRunning >= maxRunning)
  }

  @Test("one congestion counts once, although threads end calls in another order than they read the clock")
  func readingsInAnotherOrder() {
    let clock = SettableClock()
    let limit = ConcurrencyLimit(
      16, adapting: .aimd(slowest: .seconds(1), within: 2...40, decrease: 0.5), scheduler: clock)
    let permits = permits(limit, 2)
    clock.time.withLock { $0 += 0.5 }
    permits.release(1, .overloaded)
    clock.time.withLock { $0 -= 0.125 }
    permits.release(1, .overloaded)
    #expect(limit.maxRunning == 8)
  }

  @Test(
    "an error that says nothing about the server is a refusal or a cancel",
    arguments: [
      (CancellationError(), .cancelled), (TransferError.circuitOpen(timeUntilProbe: .seconds(1)), .refused),
      (TransferError.queueFull(maxWaiting: 0), .refused), (TransferError.unsupportedURL("h"), .refused),
      (TransferError.cannotFindHost("h"), .cancelled),
      (NetworkError.underlying(TransferError.secureConnectionFailed(reason: ""), nil), .cancelled),
      (TransferError.badServerResponse(reason: ""), .responded),
      (NetworkError.underlying(TransferError.waitedTooLong(.seconds(1)), nil), .refused),
      (NetworkError.underlying(TransferError.cancelled, nil), .cancelled),
      (TransferError.cancelled, .cancelled),
    ] as [(any Error & Sendable, ConcurrencyLimit.Permit.Ending)])
  func unsent(error: any Error & Sendable, ending: ConcurrencyLimit.Permit.Ending) {
    #expect(ConcurrencyLimit.Permit.Ending(error: error) == ending)
  }

  @Test(
    "each error of a transfer is a sign of overload, of a response, of none, or of nothing sent",
    arguments: [
      (.timedOut(after: .seconds(1)), .overloaded), (.cannotConnect(url: "", reason: ""), .overloaded),
      (.connectionLost(reason: ""), .overloaded), (.notStored(url: ""), .refused),
      (.notRecorded(method: "", url: ""), .refused), (.invalidField(name: "", value: ""), .refused),
      (.cannotReadFile(path: "", reason: ""), .refused),
      (.certificate(problem: .expired, host: "", reason: ""), .cancelled),
      (.cannotReadBody(reason: ""), .cancelled), (.cannotRepeatBody(url: ""), .cancelled),
      (.wrongBodyLength(announced: 1, actual: 2), .cancelled), (.other(code: 1, reason: ""), .cancelled),
      (.truncatedBody(reason: ""), .responded), (.responseTooLarge(limit: 1), .responded),
      (.tooManyRedirects(limit: 1), .responded),
    ] as [(TransferError, ConcurrencyLimit.Permit.Ending)])
  func transferErrors(error: TransferError, ending: ConcurrencyLimit.Permit.Ending) {
    #expect(ConcurrencyLimit.Permit.Ending(error: error) == ending)
  }

  @Test("a body that is cut off does not hide the status of its response", arguments: [200, 503])
  func statusOfCutOffBody(status: Int) {
    let response = Response(statusCode: status, data: Data())
    let error = NetworkError.underlying(TransferError.truncatedBody(reason: ""), response)
    #expect(ConcurrencyLimit.Permit.Ending(error: error) == (status == 503 ? .overloaded : .responded))
  }

  @Test("a permit that is released without an ending has a response, and a dropped one is cancelled")
  func standardEnding() {
    let dropping = limit(1, within: 1...8)
    for _ in 0..<3 { _ = dropping.acquire { _ in } }
    #expect(dropping.maxRunning == 1)
    let releasing = limit(1, within: 1...8)
    _ = releasing.acquire { result in (try? result.get())?.release() }
    #expect(releasing.maxRunning == 2)
  }

  @Test(
    "an error of another library without a response is a sign of overload or says nothing",
    arguments: [
      (URLError(.timedOut), .overloaded), (NetworkError.underlying(URLError(.timedOut), nil), .overloaded),
      (NetworkError.underlying(URLError(.cannotConnectToHost), nil), .overloaded),
      (
        NetworkError.underlying(
          NSError(domain: NSURLErrorDomain, code: URLError.Code.networkConnectionLost.rawValue), nil),
        .overloaded
      ),
      (NetworkError.underlying(URLError(.notConnectedToInternet), nil), .cancelled),
      (NetworkError.underlying(StreamError.lineTooLong(limit: 1), nil), .cancelled),
      (NetworkError.requestMapping("a b"), .cancelled), (WaitingError.wouldDeadlock, .cancelled),
      (NetworkError.jsonMapping(Response(statusCode: 200, data: Data())), .responded),
      (NetworkError.statusCode(Response(statusCode: 503, data: Data())), .overloaded),
    ] as [(any Error & Sendable, ConcurrencyLimit.Permit.Ending)])
  func foreign(error: any Error & Sendable, ending: ConcurrencyLimit.Permit.Ending) {
    #expect(ConcurrencyLimit.Permit.Ending(error: error) == ending)
  }

  @Test("a failure without a response shrinks a limit only if it takes too long, and never lets it grow")
  func failures() {
    let clock = ManualDelayScheduler(now: Date(timeIntervalSinceReferenceDate: 0))
    let limit = ConcurrencyLimit(
      8, adapting: .aimd(slowest: .seconds(1), within: 2...40, decrease: 0.5), scheduler: clock)
    func fail(after duration: Duration) {
      let permits = Lock<[ConcurrencyLimit.Permit]>([])
      for _ in 0..<limit.maxRunning {
        _ = limit.acquire { result in permits.withLock { $0 += (try? result.get()).map { [$0] } ?? [] } }
      }
      clock.advance(by: duration)
      let ending = ConcurrencyLimit.Permit.Ending(error: TransferError.secureConnectionFailed(reason: ""))
      for permit in permits.withLock({ $0 }) { permit.release(ending) }
    }
    fail(after: .milliseconds(500))
    #expect(limit.maxRunning == 8)
    fail(after: .seconds(2))
    #expect(limit.maxRunning == 4)
  }

  @Test("requests that another limit refuses after a wait change nothing")
  func refused() {
    let rate = RateLimit(1, per: .seconds(1_000), scheduler: time)
    let limit = limit()
    let transport = ScriptedTransport().limitRate(rate, longestWait: .seconds(30)).limitConcurrency(limit)
    let recorders = (0..<10).map { _ in transport.record(TransportRequest(url: "http://h/")).1 }
    time.advance(by: .seconds(31))
    #expect(recorders.count { $0.events.error == .waitedTooLong(.seconds(30)) } == 9)
    #expect(limit.maxRunning == 10)
  }

  @Test("a round of calls that end in time adds a place, which is taken at once")
  func increase() {
    let limit = limit()
    let permits = permits(limit, 30)
    #expect(permits.count == 10)
    // 10 × 1/10 and a little less, because the share of each call falls as the limit grows.
    permits.release(10)
    #expect(limit.maxRunning == 10)
    permits.release(1)
    #expect(limit.maxRunning == 11)
    #expect(limit.runningCount == 11)
    permits.release()
  }

  @Test("a slow call, a sign of overload and a late cancel remove places, once for each congestion")
  func decrease() {
    let endings: [(Duration, ConcurrencyLimit.Permit.Ending, Int)] = [
      (.milliseconds(1500), .responded, 5), (.milliseconds(100), .overloaded, 5),
      (.milliseconds(1500), .cancelled, 5), (.milliseconds(100), .cancelled, 10),
      (.seconds(1), .responded, 10), (.milliseconds(1500), .refused, 10),
    ]
    for (latency, ending, expected) in endings {
      let limit = limit()
      let permits = permits(limit, 10)
      time.advance(by: latency)
      permits.release(2, ending)
      #expect(limit.maxRunning == expected, "\(latency) \(ending)")
      permits.release()
    }
  }

  @Test("the latency of a call ends with its response, and not with its body")
  func responses() {
    let limit = limit()
    let permits = permits(limit, 10)
    time.advance(by: .seconds(1))
    permits.noteResponses()
    time.advance(by: .seconds(50))
    permits.noteResponses()
    permits.release(1)
    #expect(limit.maxRunning == 10)
    permits.release()
  }

  @Test("a gradient grows with the usual latency, falls with a longer one, and grows again")
  func gradient() {
    let limit = ConcurrencyLimit(10, adapting: .gradient(within: 2...40), scheduler: time)
    func round(_ latency: Duration) {
      let permits = permits(limit, limit.maxRunning)
      time.advance(by: latency)
      permits.release()
    }
    for _ in 0..<30 { round(.milliseconds(100)) }
    #expect(limit.maxRunning == 40)
    // Within the tolerance.
    for _ in 0..<3 { round(.milliseconds(140)) }
    #expect(limit.maxRunning == 40)
    for _ in 0..<3 { round(.milliseconds(500)) }
    #expect(limit.maxRunning < 10)
    for _ in 0..<30 { round(.milliseconds(100)) }
    #expect(limit.maxRunning == 40)
    let overloaded = permits(limit, 40)
    time.advance(by: .milliseconds(100))
    overloaded.release(2, .overloaded)
    #expect(limit.maxRunning == 28)
    overloaded.release()
    #expect(LimitAdaptation.gradient(within: 1...2, tolerance: 0).tolerance == 1)
  }

  /// Runs calls of one latency, as many at a time as a limit allows.
  private func run(_ limit: ConcurrencyLimit, rounds: Int, _ latency: Duration) {
    for _ in 0..<rounds {
      let permits = permits(limit, limit.maxRunning)
      time.advance(by: latency)
      permits.release()
    }
  }

  @Test("a gradient falls to its minimum during an overload, also below four places, and grows back")
  func overloadedGradient() {
    let limit = ConcurrencyLimit(10, adapting: .gradient(within: 1...40), scheduler: time)
    run(limit, rounds: 30, .milliseconds(100))
    run(limit, rounds: 60, .seconds(1))
    #expect(limit.maxRunning == 1)
    run(limit, rounds: 200, .milliseconds(100))
    #expect(limit.maxRunning == 40)
    let small = ConcurrencyLimit(2, adapting: .gradient(within: 1...3), scheduler: time)
    run(small, rounds: 30, .milliseconds(100))
    #expect(small.maxRunning == 3)
    run(small, rounds: 30, .seconds(1))
    #expect(small.maxRunning == 1)
    run(small, rounds: 60, .milliseconds(100))
    #expect(small.maxRunning == 3)
  }

  @Test("an overload that lasts longer than the average becomes usual, and a gradient grows again")
  func lastingOverload() {
    let limit = ConcurrencyLimit(10, adapting: .gradient(within: 1...40), scheduler: time)
    run(limit, rounds: 30, .milliseconds(100))
    run(limit, rounds: 60, .seconds(1))
    #expect(limit.maxRunning == 1)
    run(limit, rounds: 2_000, .seconds(1))
    #expect(limit.maxRunning == 40)
  }

  @Test("a negative time counts as 0, and a tolerance and a decrease of NaN as their minimum")
  func unusualArguments() {
    let range = 1...2
    #expect(LimitAdaptation.aimd(slowest: .seconds(-1), within: range).slowest == .zero)
    #expect(LimitAdaptation.gradient(within: range, tolerance: .nan, decrease: .nan).tolerance == 1)
    #expect(LimitAdaptation.gradient(within: range, decrease: .nan).decrease == 0.1)
    let endless = ConcurrencyLimit(
      2, adapting: .gradient(within: 1...40, tolerance: .infinity), scheduler: time)
    run(endless, rounds: 100, .milliseconds(100))
    run(endless, rounds: 100, .seconds(10))
    #expect(endless.maxRunning == 40)
  }

  @Test("while more calls run than a reduced limit allows, no call starts")
  func shrinks() {
    let limit = limit()
    let permits = permits(limit, 12)
    permits.release(1, .overloaded)
    #expect(limit.maxRunning == 5)
    #expect(limit.runningCount == 9)
    permits.release(4, .cancelled)
    #expect(limit.runningCount == 5)
    #expect(limit.waitingCount == 2)
    permits.release(1, .cancelled)
    #expect(limit.waitingCount == 1)
    permits.release()
    permits.release()
    #expect(limit.runningCount == 0)
  }

  @Test("the range bounds the limit, and a limit that is hardly used does not grow")
  func bounds() {
    let floor = limit(3, within: 2...4)
    for _ in 0..<5 {
      time.advance(by: .seconds(1))
      permits(floor, 1).release(1, .overloaded)
    }
    #expect(floor.maxRunning == 2)
    let ceiling = limit(3, within: 2...4)
    for _ in 0..<20 { permits(ceiling, 3).release() }
    #expect(ceiling.maxRunning == 4)
    let idle = limit(10)
    for _ in 0..<200 { permits(idle, 4).release() }
    #expect(idle.maxRunning == 10)
    #expect(limit(1, within: 5...9).maxRunning == 5)
    #expect(LimitAdaptation.aimd(slowest: .seconds(1), within: -3...0).range == 1...1)
    #expect(LimitAdaptation.aimd(slowest: .seconds(1), within: 1...2, decrease: .nan).decrease == 0.1)
    #expect(LimitAdaptation.aimd(slowest: .seconds(1), within: 1...2, decrease: 7).decrease == 0.99)
    #expect(LimitAdaptation.aimd(slowest: .seconds(1), within: 1...2).decrease == 0.7)
  }

  @Test("a gradient that is hardly used does not grow, either")
  func idleGradient() {
    let limit = ConcurrencyLimit(10, adapting: .gradient(within: 1...40), scheduler: time)
    for _ in 0..<200 {
      let permits = permits(limit, 4)
      time.advance(by: .milliseconds(125))
      permits.release()
    }
    #expect(limit.maxRunning == 10)
  }

  @Test("without an adaptation, the limit does not change")
  func fixed() {
    let limit = ConcurrencyLimit(10, scheduler: time)
    let permits = permits(limit, 10)
    time.advance(by: .seconds(100))
    permits.release(5, .overloaded)
    #expect(limit.maxRunning == 10)
    permits.release()
    #expect(ConcurrencyLimit(.max).maxRunning == .max)
    #expect(self.limit(.max, within: 1 ... .max).maxRunning == 1 << 50)
  }

  /// The server handles a limited number of calls at a time, and the others afterwards.
  @Test("the limit finds the capacity of a server, and follows its changes", arguments: [(30, 8), (6, 20)])
  func convergence(before: Int, after: Int) {
    let limit = limit(10, within: 1...100, decrease: 0.7)
    var counts: [Int] = []
    for round in 0..<600 {
      let capacity = round < 300 ? before : after
      let permits = permits(limit, limit.maxRunning)
      // A round takes half a second for the calls within the capacity, and longer for the others.
      time.advance(by: .milliseconds(permits.count <= capacity ? 500 : 1500))
      permits.release()
      if round > 200 { counts.append(limit.maxRunning) }
    }
    let (first, last) = (counts.prefix(100), counts.suffix(100))
    #expect(first.allSatisfy { $0 <= before + 1 })
    #expect(last.allSatisfy { $0 <= after + 1 })
    #expect(Double(first.reduce(0, +)) / 100 > 0.7 * Double(before))
    #expect(Double(last.reduce(0, +)) / 100 > 0.7 * Double(after))
  }
}

@Suite("A concurrency limit against a reference", .timeLimit(.minutes(5)))
struct ConcurrencyLimitReferenceTests {
  /// A limit that follows the documentation literally: all calls are in one list, which is searched each
  /// time.
  private struct ReferenceModel {
    enum Phase: Equatable {
      case waiting, running, over
    }

    struct Call {
      let priority: Int
      let deadline: TimeInterval
      let longestWait: TimeInterval
      var begin = 0.0
      var phase = Phase.waiting
    }

    var calls: [Call] = []
    var log: [String] = []
    var places: Double
    let maxWaiting: Int
    let isAdaptive: Bool
    var lastCongestion = -1.0
    var startCount = 0

    var running: [Int] { calls.indices.filter { calls[$0].phase == .running } }
    var waiting: [Int] {
      // Sorting is stable here, because indices are unique.
      calls.indices.filter { calls[$0].phase == .waiting }
        .sorted { (-calls[$0].priority, $0) < (-calls[$1].priority, $1) }
    }

    /// Each eighth call that has waited starts because it is the oldest.
    mutating func start(at now: TimeInterval, hasWaited: Bool = true) {
      while running.count < Int(places), var next = waiting.first {
        if hasWaited { startCount += 1 }
        if hasWaited, startCount % 8 == 0 { next = waiting.min() ?? next }
        calls[next].phase = .running
        calls[next].begin = now
        log.append("\(next) starts")
      }
    }

    mutating func acquire(priority: Int, longestWait: TimeInterval, at now: TimeInterval) {
      calls.append(Call(priority: priority, deadline: now + longestWait, longestWait: longestWait))
      let new = calls.count - 1
      start(at: now, hasWaited: false)
      guard calls[new].phase == .waiting, waiting.count > maxWaiting, let first = waiting.first else {
        return
      }
      let (top, kept) = (calls[first].priority, (maxWaiting + 4) / 8)
      let low = waiting.filter { calls[$0].priority < top }
      guard let last = low.count > kept ? low.last : waiting.last(where: { calls[$0].priority == top }) else {
        return
      }
      calls[last].phase = .over
      log.append("\(last) \(TransferError.queueFull(maxWaiting: maxWaiting))")
    }

    mutating func release(_ call: Int, _ ending: ConcurrencyLimit.Permit.Ending, at now: TimeInterval) {
      if isAdaptive {
        let begin = calls[call].begin
        if ending == .overloaded || now - begin > 2 {
          if begin >= lastCongestion {
            lastCongestion = now
            places = max(1, places / 2)
          }
        } else if ending == .responded, running.count * 2 >= Int(places) {
          places = min(6, places + 1 / places)
        }
      }
      calls[call].phase = .over
      start(at: now)
    }

    /// Ends the calls that have waited too long by a time, in the order of their deadlines.
    mutating func expire(by now: TimeInterval) {
      let due = waiting.filter { calls[$0].deadline <= now }
        .sorted { (calls[$0].deadline, $0) < (calls[$1].deadline, $1) }
      for call in due {
        calls[call].phase = .over
        log.append("\(call) \(TransferError.waitedTooLong(.seconds(calls[call].longestWait)))")
      }
    }
  }

  @Test("any traffic starts and refuses the same calls in the same order", arguments: 0..<60)
  func reference(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    let time = ManualDelayScheduler(now: Date(timeIntervalSinceReferenceDate: 0))
    let isAdaptive = seed % 2 == 0
    let limit = ConcurrencyLimit(
      3, adapting: isAdaptive ? .aimd(slowest: .seconds(2), within: 1...6, decrease: 0.5) : nil,
      maxWaiting: 4, scheduler: time)
    var reference = ReferenceModel(places: 3, maxWaiting: 4, isAdaptive: isAdaptive)
    let log = Log()
    let permits = Lock([Int: ConcurrencyLimit.Permit]())
    var tokens: [any Cancellable] = []
    for _ in 0..<200 {
      let now = time.now.timeIntervalSinceReferenceDate
      switch Int.random(in: 0..<8, using: &numbers) {
      case 0...3:
        let number = tokens.count
        let priority = Int.random(in: 0...2, using: &numbers)
        let wait = Double(Int.random(in: 1...8, using: &numbers))
        reference.acquire(priority: priority, longestWait: wait, at: now)
        tokens.append(
          limit.acquire(priority: priority, longestWait: .seconds(wait)) { result in
            switch result {
            case .success(let permit):
              permits.withLock { $0[number] = permit }
              log("\(number) starts")
            case .failure(let error): log("\(number) \(error)")
            }
          })
      case 4, 5:
        guard let call = reference.running.randomElement(using: &numbers) else { continue }
        let endings: [ConcurrencyLimit.Permit.Ending] = [.responded, .responded, .cancelled, .overloaded]
        let ending = endings.randomElement(using: &numbers) ?? .responded
        reference.release(call, ending, at: now)
        permits.withLock { $0.removeValue(forKey: call) }?.release(ending)
        time.advance(by: .zero)
      case 6:
        guard let call = reference.waiting.randomElement(using: &numbers) else { continue }
        reference.calls[call].phase = .over
        tokens[call].cancel()
      default:
        let step = Double(Int.random(in: 1...2, using: &numbers))
        time.advance(by: .seconds(step))
        reference.expire(by: now + step)
      }
      try #require(log.all == reference.log)
      try #require(limit.maxRunning == Int(reference.places))
      #expect(limit.runningCount == reference.running.count)
      #expect(limit.waitingCount == reference.waiting.count)
    }
    #expect(reference.calls.count > 75)
    let refusals = reference.log.count { !$0.hasSuffix("starts") }
    #expect(refusals > 5)
    for permit in permits.withLock({ Array($0.values) }) { permit.release() }
  }
}

import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("ChaosTransport", .timeLimit(.minutes(5)))
struct ChaosTransportTests {
  private let time = ManualDelayScheduler()

  private func plan(_ change: (inout ChaosPlan) -> Void) -> ChaosPlan {
    var plan = ChaosPlan(seed: 42)
    change(&plan)
    return plan
  }

  /// The events of one request to a server that responds at once with `hello`, in two pieces.
  private func exchange(
    _ plan: ChaosPlan, cancelledAfter: Duration? = nil
  ) -> (events: [String], transfers: [ScriptedTransport.Transfer]) {
    let wire = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 200, url: "http://host/", headers: [:])),
        .body(Data("hel".utf8)), .body(Data("lo".utf8)), .finished(nil))
    }
    let chaos = ChaosTransport(wire, plan: plan, scheduler: time)
    let (log, time) = (Log(), time)
    let token = chaos.start(TransportRequest(url: "http://host/")) { event in
      let seconds = time.now.timeIntervalSince1970
      switch event {
      case .head(let head): log("\(seconds) \(head.statusCode)")
      case .body(let piece): log("\(seconds) \(piece.count) \(String(decoding: piece, as: UTF8.self))")
      case .finished(let error): log("\(seconds) end\(error.map { " \($0)" } ?? "")")
      case .sent, .metrics: log("\(seconds) other")
      }
    }
    if let cancelledAfter {
      time.advance(by: cancelledAfter)
      token.cancel()
    }
    time.advance(by: .seconds(100))
    #expect(time.pendingCount == 0)
    return (log.all, wire.transfers)
  }

  @Test("without faults, requests are unchanged")
  func sound() {
    #expect(exchange(ChaosPlan(seed: 1)).events == ["0.0 200", "0.0 3 hel", "0.0 2 lo", "0.0 end"])
  }

  @Test("a delayed request is sent later, in virtual time, unless it is cancelled before")
  func delay() {
    let plan = plan { ($0.delayRate, $0.delays) = (1, Duration.seconds(3) ... .seconds(3)) }
    #expect(exchange(plan).events == ["3.0 200", "3.0 3 hel", "3.0 2 lo", "3.0 end"])
    let other = ChaosTransportTests()
    let (events, transfers) = other.exchange(plan, cancelledAfter: .seconds(2))
    #expect(events == ["2.0 end cancelled"])
    #expect(transfers.isEmpty)
  }

  @Test("a request that fails or receives another status is not sent")
  func unsent() {
    let failed = exchange(plan { ($0.failureRate, $0.errors) = (1, [.timedOut(after: .seconds(9))]) })
    #expect(failed.events == ["0.0 end \(TransferError.timedOut(after: .seconds(9)))"])
    let other = ChaosTransportTests()
    let refused = other.exchange(plan { ($0.statusRate, $0.statuses) = (1, [418]) })
    #expect(refused.events == ["0.0 418", "0.0 end"])
    #expect(failed.transfers.isEmpty && refused.transfers.isEmpty)
  }

  @Test(
    "a response is cut off after a number of bytes, or at its end, and its transfer is cancelled",
    arguments: [(0, []), (2, ["0.0 2 he"]), (4, ["0.0 3 hel", "0.0 1 l"]), (9, ["0.0 3 hel", "0.0 2 lo"])])
  func cutOff(count: Int, pieces: [String]) {
    let (events, transfers) = exchange(plan { ($0.cutOffRate, $0.cutOffBytes) = (1, count...count) })
    let error = TransferError.truncatedBody(reason: "cut off by ChaosTransport")
    #expect(events == ["0.0 200"] + pieces + ["0.0 end \(error)"])
    #expect(transfers.map(\.isCancelled) == [count < 5])
  }

  @Test("a delayed request has its other fault when the delay has passed")
  func delayAndFault() {
    let plan = plan { plan in
      (plan.delayRate, plan.delays) = (1, Duration.seconds(3) ... .seconds(3))
      (plan.statusRate, plan.statuses) = (1, [418])
    }
    let (events, transfers) = exchange(plan)
    #expect(events == ["3.0 418", "3.0 end"])
    #expect(transfers.isEmpty)
  }

  @Test("a transfer that fails by itself keeps its error, although its response was to be cut off")
  func failureBeforeCutOff() async {
    let error = TransferError.cannotConnect(url: "http://host/", reason: "refused", isUnsent: true)
    let wire = ScriptedTransport { $0.send(.finished(error)) }
    let chaos = ChaosTransport(wire, plan: plan { $0.cutOffRate = 1 }, scheduler: time)
    #expect(await chaos.exchange(.init(url: "http://host/")).error == error)
  }

  @Test("a garbled body has other bytes and the same length")
  func garbled() {
    let events = exchange(plan { $0.garbledRate = 1 }).events
    #expect(events.map { $0.prefix(5) } == ["0.0 2", "0.0 3", "0.0 2", "0.0 e"].map { $0.prefix(5) })
    #expect(!events.contains { $0.hasSuffix("hel") })
  }

  @Test("a cancelled request ends once, with any pending fault")
  func cancel() {
    for change: (inout ChaosPlan) -> Void in [{ $0.failureRate = 1 }, { $0.statusRate = 1 }] {
      let test = ChaosTransportTests()
      #expect(test.exchange(test.plan(change), cancelledAfter: .seconds(-1)).events == ["0.0 end cancelled"])
    }
  }

  @Test("equal seeds have the same faults, and another seed has others")
  func seeds() {
    let change: (inout ChaosPlan) -> Void = { plan in
      (plan.delayRate, plan.failureRate, plan.statusRate) = (0.3, 0.2, 0.2)
      (plan.cutOffRate, plan.garbledRate) = (0.2, 0.2)
    }
    var plan = plan(change)
    let faults = (0..<1_000).map { plan.faults(ofRequest: $0) }
    #expect(faults == (0..<1_000).map { plan.faults(ofRequest: $0) })
    plan.seed = 43
    #expect(faults != (0..<1_000).map { plan.faults(ofRequest: $0) })
    // A change of another rate leaves the delays as they are.
    plan.seed = 42
    plan.failureRate = 0.6
    let delays = faults.map { $0.filter(\.isDelay) }
    #expect((0..<1_000).map { plan.faults(ofRequest: $0).filter(\.isDelay) } == delays)
    #expect(delays.count { !$0.isEmpty } > 0)
  }

  /// The expected faults were computed in Python, independently of the library.
  @Test("the documented formula gives these faults")
  func vector() {
    let plan = plan { ($0.delayRate, $0.delays, $0.failureRate) = (0.5, Duration.zero ... .seconds(1), 0.5) }
    let faults = (0..<6).map { plan.faults(ofRequest: $0) }
    #expect(faults.map { $0.contains(where: \.isDelay) } == [true, false, true, false, false, true])
    #expect(faults.map { $0.contains { !$0.isDelay } } == [true, false, true, true, true, true])
    let first = faults.lazy.flatMap { $0 }.first(where: \.isDelay)
    guard case .delay(let delay)? = first else { return #expect(first != nil) }
    #expect(abs(delay / .seconds(1) - 0.9791829487510519) < 1e-9)
  }

  @Test("each kind of fault occurs at its rate", arguments: [0.0, 0.1, 0.2])
  func rates(rate: Double) {
    let plan = plan { plan in
      (plan.delayRate, plan.failureRate, plan.statusRate) = (rate, rate, rate)
      (plan.cutOffRate, plan.garbledRate) = (rate, rate)
    }
    var counts = [String: Int]()
    for number in 0..<20_000 {
      for fault in plan.faults(ofRequest: number) { counts[fault.kind, default: 0] += 1 }
    }
    for kind in ["delay", "failure", "status", "cutOff", "garbled"] {
      // Six standard deviations of such a count are at most 340.
      #expect(abs(counts[kind, default: 0] - Int(20_000 * rate)) <= (rate > 0 ? 340 : 0), "\(kind)")
    }
  }

  @Test("an excess of the rates over 1 has no effect")
  func excess() {
    let plan = plan { ($0.failureRate, $0.statusRate, $0.garbledRate) = (0.5, 0.5, 1) }
    let kinds = Set((0..<1_000).flatMap { plan.faults(ofRequest: $0).map(\.kind) })
    #expect(kinds == ["failure", "status"])
  }

  @Test(
    "any range of bytes can be cut off, and negative numbers count as 0",
    arguments: [0...Int.max, Int.max...Int.max, Int.min...Int.max, -3...0, Int.min...(-1)])
  func anyLength(bytes: ClosedRange<Int>) {
    let plan = plan { ($0.cutOffRate, $0.cutOffBytes) = (1, bytes) }
    let counts = (0..<1_000).flatMap { plan.faults(ofRequest: $0) }.map { fault in
      if case .cutOff(let count) = fault { count } else { -1 }
    }
    let numbers = max(0, bytes.lowerBound)...max(0, bytes.upperBound)
    #expect(counts.allSatisfy { numbers.contains($0) })
    #expect(Set(counts).count > 900 || numbers.count == 1)
  }

  @Test("the parameters of faults are in their ranges, and vary")
  func parameters() {
    let plan = plan { plan in
      (plan.delayRate, plan.delays) = (1, Duration.seconds(2) ... .seconds(4))
      (plan.statusRate, plan.statuses) = (0.5, [500, 503])
      (plan.cutOffRate, plan.cutOffBytes) = (0.5, 10...12)
    }
    let faults = (0..<1_000).flatMap { plan.faults(ofRequest: $0) }
    let delays = faults.compactMap { if case .delay(let delay) = $0 { delay / .seconds(1) } else { nil } }
    #expect(delays.count == 1_000)
    #expect(delays.allSatisfy { (2...4).contains($0) })
    #expect((delays.min() ?? 9) < 2.1 && (delays.max() ?? 0) > 3.9)
    let others = Set(faults.filter { !$0.isDelay })
    #expect(
      others == [
        .status(500), .status(503), .cutOff(afterBytes: 10), .cutOff(afterBytes: 11),
        .cutOff(afterBytes: 12),
      ])
    // An empty list means no fault.
    let none = self.plan { ($0.statusRate, $0.statuses) = (1, []) }
    #expect(none.faults(ofRequest: 0).isEmpty)
  }

  @Test("the parameters of faults have the documented defaults")
  func defaults() {
    let plan = ChaosPlan(seed: 1)
    #expect(plan.delays == Duration.milliseconds(50) ... .milliseconds(500))
    #expect(plan.errors == [.connectionLost(reason: "ChaosTransport")])
    #expect(plan.statuses == [500, 502, 503])
    #expect(plan.cutOffBytes == 0...1_023)
  }

  @Test("works around a real transport, and counts its requests")
  func wire() async throws {
    let server = try LoopbackServer { _ in .text("hello") }
    let plan = plan { $0.statusRate = 0.5 }
    let chaos = ChaosTransport(try CurlTransport(), plan: plan)
    let provider = NetworkProvider<LoopbackTarget>(transport: chaos)
    for number in 0..<20 {
      let expected = plan.faults(ofRequest: number).isEmpty ? 200 : nil
      let status = try await provider.result(LoopbackTarget(server)).get().statusCode
      #expect(expected.map { $0 == status } ?? (status >= 500))
    }
    #expect(chaos.requestCount == 20)
    #expect(server.log.requestCount == (0..<20).count { plan.faults(ofRequest: $0).isEmpty })
  }
}

extension ChaosFault {
  fileprivate var isDelay: Bool { kind == "delay" }

  fileprivate var kind: String {
    switch self {
    case .delay: "delay"
    case .failure: "failure"
    case .status: "status"
    case .cutOff: "cutOff"
    case .garbledBody: "garbled"
    }
  }
}

import NetworkWaterfall
import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock
import LoopbackServer

/// Runs the groups of clients side by side, and shows the numbers from their servers' logs.
struct Storm {
  private let arguments: Arguments
  private let groups: [ClientGroup]
  private let recovery: RecoveryTable
  private let timeline: TimelineFile?

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    let timeline = try arguments.timeline.map { try TimelineFile(path: $0, program: "storm") }
    let plugins = timeline.map { [$0.waterfall] } ?? []
    groups = try ClientGroup.Protection.allCases.map {
      try ClientGroup($0, count: arguments.clients, plugins: plugins)
    }
    recovery = RecoveryTable(
      tokens: try [false, true].map { try TokenClients(isBounded: $0) },
      events: try [false, true].map { try EventClients(isBounded: $0) })
    self.timeline = timeline
  }

  /// Runs the program; returns the exit status.
  func run() throws -> Int32 {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    var calls = groups.flatMap { group in
      (0..<arguments.clients).map { client in
        // The calls are spread over the second, so that the load is even.
        group.calls(
          of: client, startingAfter: .milliseconds(1_000 * client / arguments.clients), on: scheduler)
      }
    }
    calls += recovery.tokens.map { $0.calls(on: scheduler) }
    calls += recovery.events.map { $0.events() }
    let subscription = Observable.merge(calls).subscribe()
    defer { subscription.dispose() }
    try output(StatisticsTable.heading("requests at the server, calls answered", groups))
    let (statistics, signal) = try watch(on: scheduler)
    subscription.dispose()
    let isTimelineWritten = timeline?.write(title: "One client of each group") ?? true
    if let signal { return 128 + signal }
    let table = StatisticsTable(groups: Array(zip(groups, statistics)))
    try output("\n" + table.text + "\n" + recovery.text)
    let found = try disagreements(statistics)
    for disagreement in found { printError("the numbers disagree: \(disagreement)", "storm") }
    try output("\n" + PolicyTrials.text())
    return found.isEmpty && isTimelineWritten ? 0 : 1
  }

  /// Records each second and writes a line about it, until the end or a signal.
  private func watch(on scheduler: any SchedulerType) throws -> (statistics: [RunStatistics], signal: Int32?)
  {
    let statistics = Lock(groups.map { _ in RunStatistics() })
    let signal = Lock<Int32?>(nil)
    begin(phase(of: 0))
    let ticks = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(arguments.seconds)
    let end =
      ticks
      .take(until: terminationSignals().do(onNext: { number in signal.withLock { $0 = number } }))
      .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "output"))
      .do(onNext: { second in
        let phase = phase(of: second)
        let present = statistics.withLock { statistics in
          for index in groups.indices { statistics[index].recordSecond(groups[index], phase) }
          return statistics
        }
        try output(StatisticsTable.line(second + 1, phase, present))
        let next = self.phase(of: second + 1)
        if next != phase { begin(next) }
      })
      .ignoreElements().toBlocking().materialize()
    if case .failed(_, let error) = end { throw error }
    return (statistics.withLock { $0 }, signal.withLock { $0 })
  }

  private func phase(of second: Int) -> RunStatistics.Phase {
    switch 3 * second / arguments.seconds {
    case 0: .before
    case 1: .outage
    default: .after
    }
  }

  private func begin(_ phase: RunStatistics.Phase) {
    timeline?.waterfall.mark(phase == .outage ? "the services fail" : "the services work")
    for group in groups { group.begin(phase) }
    for clients in recovery.tokens { clients.begin(phase) }
    if phase == .outage { for clients in recovery.events { clients.restart() } }
  }

  /// Compares the servers' logs with the clients' counts and with the budget.
  private func disagreements(_ statistics: [RunStatistics]) throws -> [String] {
    var found: [String] = []
    for group in groups {
      let log = try group.service.server.waitUntil(timeout: .seconds(10)) { $0.pending == 0 }
      let counts = group.counts
      if log.answered < counts.fresh {
        found.append("\(counts.fresh) fresh answers, but only \(log.answered) from the server")
      }
      guard group.protection != .retries else { continue }
      // Each window of ten seconds allows its minimum again, and second copies have a separate budget.
      let windows = Double(arguments.seconds) / 10 + 2
      let copies = group.protection != .budget ? 0.1 * Double(counts.calls) + 10 * windows : 0
      let limit = Double(counts.calls) * 1.2 + 10 * windows + copies
      if Double(log.requestCount) > limit {
        found.append("\(log.requestCount) requests, but the budget allows \(Int(limit))")
      }
    }
    return found
  }
}

import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock
import LoopbackServer

/// Runs the groups of clients side by side, and shows the numbers from their servers' logs.
struct Storm {
  private let arguments: Arguments
  private let groups: [Clients]
  private let canvas: Canvas?

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    let canvas = try arguments.timeline.map { try Canvas(path: $0, program: "storm") }
    let plugins = canvas.map { [$0.waterfall] } ?? []
    groups = try Clients.Means.allCases.map {
      try Clients($0, count: arguments.clients, plugins: plugins)
    }
    self.canvas = canvas
  }

  /// Runs the program; returns the exit status.
  func run() throws -> Int32 {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    let calls = groups.flatMap { group in
      (0..<arguments.clients).map { client in
        // The calls are spread over the second, so that the load is even.
        group.calls(
          of: client, startingAfter: .milliseconds(1_000 * client / arguments.clients), on: scheduler)
      }
    }
    let subscription = Observable.merge(calls).subscribe()
    defer { subscription.dispose() }
    try output(Table.heading("requests at the server, calls answered", groups))
    let (records, signal) = try watch(on: scheduler)
    subscription.dispose()
    let isDrawn = canvas?.draw(title: "One client of each group") ?? true
    if let signal { return 128 + signal }
    let table = Table(groups: Array(zip(groups, records)))
    try output("\n" + table.text)
    let complaints = try disagreements(records)
    for complaint in complaints { complain("the numbers disagree: \(complaint)", "storm") }
    return complaints.isEmpty && isDrawn ? 0 : 1
  }

  /// Records each second and writes a line about it, until the end or a signal.
  private func watch(on scheduler: any SchedulerType) throws -> (records: [Record], signal: Int32?) {
    let records = Lock(groups.map { _ in Record() })
    let signal = Lock<Int32?>(nil)
    begin(part(of: 0))
    let ticks = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(arguments.seconds)
    let end =
      ticks
      .take(until: endings().do(onNext: { number in signal.withLock { $0 = number } }))
      .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "output"))
      .do(onNext: { second in
        let part = part(of: second)
        let present = records.withLock { records in
          for index in groups.indices { records[index].note(groups[index], part) }
          return records
        }
        try output(Table.line(second + 1, part, present))
        let next = self.part(of: second + 1)
        if next != part { begin(next) }
      })
      .ignoreElements().toBlocking().materialize()
    if case .failed(_, let error) = end { throw error }
    return (records.withLock { $0 }, signal.withLock { $0 })
  }

  private func part(of second: Int) -> Record.Part {
    switch 3 * second / arguments.seconds {
    case 0: .before
    case 1: .outage
    default: .after
    }
  }

  private func begin(_ part: Record.Part) {
    canvas?.waterfall.mark(part == .outage ? "the services fail" : "the services work")
    for group in groups { group.service.setFailing(part == .outage) }
  }

  /// Compares the servers' logs with the clients' counts and with the budget.
  private func disagreements(_ records: [Record]) throws -> [String] {
    var found: [String] = []
    for group in groups {
      let log = try group.service.server.waitUntil(timeout: .seconds(10)) { $0.pending == 0 }
      let counts = group.counts
      if log.answered < counts.answered {
        found.append("\(counts.answered) calls answered, but only \(log.answered) by the server")
      }
      guard group.means != .retries else { continue }
      // Each window of ten seconds allows its minimum again, and second copies have a separate budget.
      let windows = Double(arguments.seconds) / 10 + 2
      let copies = group.means == .allPolicies ? 0.1 * Double(counts.calls) + 10 * windows : 0
      let most = Double(counts.calls) * 1.2 + 10 * windows + copies
      if Double(log.requestCount) > most {
        found.append("\(log.requestCount) requests, but the budget allows \(Int(most))")
      }
    }
    return found
  }
}

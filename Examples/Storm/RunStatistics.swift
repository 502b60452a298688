import LoopbackServer

/// The numbers of each second of the run.
struct RunStatistics {
  /// The phase of the run.
  enum Phase: CaseIterable {
    case before
    case outage
    case after

    var title: String {
      switch self {
      case .before: "before the outage"
      case .outage: "in the outage"
      case .after: "after it"
      }
    }
  }

  struct Second {
    let phase: Phase
    /// The requests in the server's log, and those whose caller left before the response.
    let requests: Int
    let abandoned: Int
    let calls: Int
    let answered: Int
    let staleWhileRevalidate: Int
    let staleIfError: Int
    let refused: Int
    let shed: Int
  }

  private(set) var seconds: [Second] = []
  private var last = (requests: 0, abandoned: 0, counts: ClientGroup.CallCounts())
  /// The durations of the calls that succeeded before the outage, sorted.
  private(set) var latencies: [Duration] = []

  /// Records the second since the previous call.
  mutating func recordSecond(_ clients: ClientGroup, _ phase: Phase) {
    let log = clients.service.server.log
    let counts = clients.counts
    seconds.append(
      Second(
        phase: phase, requests: log.requestCount - last.requests,
        abandoned: log.abandoned.count - last.abandoned, calls: counts.calls - last.counts.calls,
        answered: counts.answered - last.counts.answered,
        staleWhileRevalidate: counts.staleWhileRevalidate - last.counts.staleWhileRevalidate,
        staleIfError: counts.staleIfError - last.counts.staleIfError,
        refused: counts.refused - last.counts.refused,
        shed: counts.shed - last.counts.shed))
    last = (log.requestCount, log.abandoned.count, counts)
    if phase == .before { latencies = counts.latencies.sorted() }
  }

  /// Returns the mean of a figure in a phase of the run; 0 if the phase has no seconds.
  func mean(_ figure: (Second) -> Int, in phase: Phase) -> Int {
    let figures = seconds.filter { $0.phase == phase }.map(figure)
    return figures.isEmpty ? 0 : (figures.reduce(0, +) + figures.count / 2) / figures.count
  }

  /// Returns the sum of a figure.
  func sum(_ figure: (Second) -> Int) -> Int { seconds.map(figure).reduce(0, +) }

  /// Returns a percentile of the durations of the calls that succeeded before the outage.
  func latency(percentile: Int) -> Duration? {
    latencies.isEmpty ? nil : latencies[min(latencies.count - 1, latencies.count * percentile / 100)]
  }
}

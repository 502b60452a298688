import AllocationCounter
import Foundation
import Synchronization

/// The result of one client in one run.
struct LoadResult: Codable {
  let client: String
  let version: String
  let concurrency: Int
  let requestsPerSecond: Double
  let failures: Int
  /// The microseconds of processor time of the whole process, for each request.
  let processorTime: Double
  let allocations: Double
  /// The median of the latencies in milliseconds, as the percentile below.
  let median: Double
  let percentile99: Double
}

/// Sends one request; the closure is called with `true` if the request succeeded.
typealias RequestSender = @Sendable (@escaping @Sendable (Bool) -> Void) -> Void

/// A constant number of concurrent requests: the end of each starts the next, until the time is up.
final class LoadGenerator: Sendable {
  private struct State {
    var latencies: [UInt64] = []
    var failures = 0
    var active = 0
  }

  private let send: RequestSender
  private let end: UInt64
  private let state = Mutex(State())
  private let done = DispatchSemaphore(value: 0)

  private init(seconds: Double, send: @escaping RequestSender) {
    self.send = send
    end = now() + UInt64(seconds * 1e9)
    state.withLock { $0.latencies.reserveCapacity(1_000_000) }
  }

  /// Runs the load and returns the latencies in nanoseconds, and the number of failed requests.
  static func run(concurrency: Int, seconds: Double, send: @escaping RequestSender) -> (
    latencies: [UInt64], failures: Int
  ) {
    let load = LoadGenerator(seconds: seconds, send: send)
    load.state.withLock { $0.active = concurrency }
    for _ in 0..<concurrency { load.next() }
    load.done.wait()
    return load.state.withLock { ($0.latencies, $0.failures) }
  }

  /// Sends one request after the other from the calling thread, which waits for each, like a program that
  /// awaits its responses.
  static func runAwaited(seconds: Double, send: @escaping RequestSender) -> (
    latencies: [UInt64], failures: Int
  ) {
    let load = LoadGenerator(seconds: seconds, send: send)
    let ended = DispatchSemaphore(value: 0)
    while true {
      let start = now()
      guard start < load.end else { break }
      load.send { isSuccess in
        let time = now()
        load.state.withLock { state in
          state.latencies.append(time - start)
          if !isSuccess { state.failures += 1 }
        }
        ended.signal()
      }
      ended.wait()
    }
    return load.state.withLock { ($0.latencies, $0.failures) }
  }

  private func next() {
    let start = now()
    send { isSuccess in
      let time = now()
      let (isOver, isLast) = self.state.withLock { state in
        state.latencies.append(time - start)
        if !isSuccess { state.failures += 1 }
        if time >= self.end { state.active -= 1 }
        return (time >= self.end, state.active == 0)
      }
      if !isOver { return self.next() }
      if isLast { self.done.signal() }
    }
  }
}

/// Measures a run with the resources of the whole process.
func measure(
  _ client: String, version: String, concurrency: Int,
  _ run: () -> (latencies: [UInt64], failures: Int)
) -> LoadResult {
  let processor = processorMicroseconds()
  let start = now()
  allocation_counter_enable(true)
  let result = run()
  allocation_counter_enable(false)
  let seconds = Double(now() - start) / 1e9
  let count = Double(max(1, result.latencies.count))
  let sorted = result.latencies.sorted()
  func percentile(_ part: Double) -> Double {
    sorted.isEmpty ? 0 : Double(sorted[Int(Double(sorted.count - 1) * part)]) / 1e6
  }
  return LoadResult(
    client: client, version: version, concurrency: concurrency, requestsPerSecond: count / seconds,
    failures: result.failures, processorTime: (processorMicroseconds() - processor) / count,
    allocations: Double(allocation_counter_read()) / count, median: percentile(0.5),
    percentile99: percentile(0.99))
}

func now() -> UInt64 {
  DispatchTime.now().uptimeNanoseconds
}

private func processorMicroseconds() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
  return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
}

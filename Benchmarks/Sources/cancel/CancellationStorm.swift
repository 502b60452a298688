import Foundation
import NetworkCore
import Processes
import Synchronization

/// Starts requests and cancels each, some while they wait for the loop and some on the wire, and prints what
/// remains.
func measureCancellationStorm(count: Int) throws {
  let server = try ChildProcess(["--serve"])
  defer { server.terminate() }
  let origin = "http://127.0.0.1:\(server.receive().last ?? "")"
  let transport = try CurlTransport()
  // A first run, so that objects that are created only once exist before the measurement.
  run(count: count / 10, origin, transport)
  let before = ProcessResources()
  let begin = seconds()
  let wrong = run(count: count, origin, transport)
  let time = seconds() - begin
  let after = ProcessResources()
  print("a storm of \(count) requests that are started and cancelled")
  print("  before: \(before)")
  print("  after:  \(after)")
  print(String(format: "  %.1f s, %.0f a second, \(wrong) ended otherwise", time, Double(count) / time))
}

/// Returns the number of requests that did not end as cancelled.
@discardableResult
private func run(count: Int, _ origin: String, _ transport: CurlTransport) -> Int {
  let ended = Atomic(0)
  let wrong = Atomic(0)
  let request = TransportRequest(url: origin + "/held", idleTimeout: .zero)
  var waiting: [any Cancellable] = []
  for index in 0..<count {
    let token = transport.start(request) { event in
      guard case .finished(let error) = event else { return }
      if error != .cancelled { wrong.add(1, ordering: .relaxed) }
      ended.add(1, ordering: .releasing)
    }
    // Every fourth request is cancelled only when it is on the wire.
    if index % 4 == 0 { waiting.append(token) } else { token.cancel() }
    guard waiting.count == 64 else { continue }
    usleep(2_000)
    for token in waiting { token.cancel() }
    waiting = []
  }
  for token in waiting { token.cancel() }
  while ended.load(ordering: .acquiring) < count { usleep(1_000) }
  return wrong.load(ordering: .relaxed)
}

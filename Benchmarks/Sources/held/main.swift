import Foundation
import HoldingServer
import Processes

// Measures requests that the server holds, with each client in a separate process: `held [REQUESTS …]`.
let words = Array(CommandLine.arguments.dropFirst())
if words.first == "--client", words.count == 4, let requests = Int(words[3]) {
  try runClient(words[1], origin: words[2], requests: requests)
  exit(0)
}

raiseDescriptorLimit()
let port = holding_server_start()
guard port != 0 else {
  print("skipped: no server")
  exit(0)
}

/// Measures one row: the time until the server has all requests, the resources that they take then, and the
/// time until all have ended.
func measure(_ client: String, requests: Int) throws -> [String] {
  let child = try ChildProcess(["--client", client, "http://127.0.0.1:\(port)", "\(requests)"])
  defer {
    child.terminate()
    while holding_server_pending() > 0 { usleep(500) }
  }
  guard child.receive() == ["ready"] else { return ["ended at its first request"] }
  let before = ProcessResources(of: child.identifier)
  let begin = seconds()
  child.send("go")
  while holding_server_pending() < requests, seconds() - begin < 30 { usleep(500) }
  let start = seconds() - begin
  let pending = Int(holding_server_pending())
  // Let the work for the requests that were just started finish.
  usleep(300_000)
  let held = ProcessResources(of: child.identifier)
  usleep(2_000_000)
  let later = ProcessResources(of: child.identifier)
  holding_server_release()
  let answer = seconds()
  guard pending == requests else { return ["stalled: \(pending) reached the server in 30 s"] }
  _ = child.receive()
  let failures = child.receive().last ?? "the process ended"
  let end = seconds() - answer
  return [
    String(format: "%.3f", start), String(format: "%.3f", end), failures,
    String(format: "%.1f", Double(held.memory - before.memory) / 1024 / Double(requests)),
    String(format: "%.1f", Double(held.memory) / 1_048_576), "\(held.threads)",
    String(format: "%.2f", (later.processorTime - held.processorTime) / 2 * 100),
  ]
}

func show(_ columns: [String]) {
  let rest = columns.dropFirst().map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }
  print(columns[0].padding(toLength: 24, withPad: " ", startingAt: 0) + rest.joined())
  fflush(nil)
}

let counts = words.compactMap { Int($0) }
for requests in counts.isEmpty ? [100, 1_000, 5_000] : counts {
  print("\(requests) requests held:")
  show(["", "s to start", "s to answer", "failed", "KiB each", "MiB in all", "threads", "CPU %"])
  for (name, _) in clients { show([name] + (try measure(name, requests: requests))) }
  print("")
}

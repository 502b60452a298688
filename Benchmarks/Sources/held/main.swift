import Foundation
import HoldingServer
import Processes

// Measures requests that the server holds, with each client in a separate process: `held [REQUESTS …]`.
let words = Array(CommandLine.arguments.dropFirst())
if words.first == "--client", words.count == 4, let requests = Int(words[3]) {
  try runClient(words[1], root: words[2], requests: requests)
  exit(0)
}

raiseDescriptorLimit()
let port = holding_server_start()
guard port != 0 else {
  print("skipped: no server")
  exit(0)
}

/// nginx adds TLS: it passes each request on to the server that holds it.
let secureServer: Nginx?
do {
  secureServer = try Nginx(location: "proxy_pass http://127.0.0.1:\(port);")
} catch let unavailable as Nginx.UnavailableError {
  print("TLS \(unavailable)")
  secureServer = nil
}
defer { secureServer?.stop() }

/// Measures one row: the time until the server has all requests, the resources that they take then, and the
/// time until all have ended.
///
/// With TLS, each client trusts the system's authorities, among them the server's own for the child process.
func measure(_ client: String, requests: Int, over secureServer: Nginx?) throws -> [String] {
  let arguments = [
    "--client", client, secureServer?.secureHTTP1URL ?? "http://127.0.0.1:\(port)/", "\(requests)",
  ]
  let child =
    try secureServer.map { try ChildProcess(arguments, systemAuthorities: $0.authorities) }
    ?? ChildProcess(arguments)
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
  for server in secureServer.map({ [nil, $0] }) ?? [nil] {
    print("\(requests) requests held\(server == nil ? "" : " over TLS"):")
    show(["", "s to start", "s to answer", "failed", "KiB each", "MiB in all", "threads", "CPU %"])
    for (name, _) in clients { show([name] + (try measure(name, requests: requests, over: server))) }
    print("")
  }
}

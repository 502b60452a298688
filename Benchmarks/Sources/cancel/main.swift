import Foundation
import LoopbackServer
import NetworkCore
import Processes

// Measures how soon a server notices a cancellation, and what a storm of cancellations leaves behind: `cancel
// [--rounds N] [--storm N]`.
if CommandLine.arguments.contains("--serve") {
  try serve()
} else {
  let rounds = number("--rounds", orElse: 1_000)
  try measureLatency(rounds: rounds)
  try storm(count: number("--storm", orElse: 100_000))
}

/// Accepts requests and never responds, except to `/at-once`; ends with its standard input.
func serve() throws {
  var options = LoopbackServer.Options()
  options.keptRequests = 0
  let server = try LoopbackServer(options: options) { $0.path == "/at-once" ? .text("ok") : .never }
  Worker.say("port", server.port)
  while readLine() != nil {}
}

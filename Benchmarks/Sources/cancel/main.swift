import Foundation
import LoopbackServer
import NetworkCore
import Processes

// Measures how soon a server notices a cancellation, and what a storm of cancellations leaves behind: `cancel
// [--rounds N] [--storm N]`.
if CommandLine.arguments.contains("--serve") {
  try serve()
} else {
  let rounds = numericOption("--rounds", default: 1_000)
  try measureCancellationLatency(rounds: rounds)
  try measureCancellationStorm(count: numericOption("--storm", default: 100_000))
}

/// Accepts requests and never responds, except to `/at-once`; ends with its standard input.
func serve() throws {
  var options = LoopbackServer.Options()
  options.keptRequests = 0
  let server = try LoopbackServer(options: options) { $0.path == "/at-once" ? .text("ok") : .never }
  ChildProcess.sendToParent("port", server.port)
  while readLine() != nil {}
}

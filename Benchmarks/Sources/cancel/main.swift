import Foundation
import LoopbackServer
import NetworkCore
import Processes

// How soon a server sees a cancel, and what a storm of cancels leaves behind: `cancel [--rounds N] [--storm N]`.
if CommandLine.arguments.contains("--serve") {
  try serve()
} else {
  let rounds = number("--rounds", orElse: 1_000)
  try measureLatency(rounds: rounds)
  try storm(count: number("--storm", orElse: 100_000))
}

/// A server that answers nothing, for who asks; ends with its standard input.
func serve() throws {
  var options = LoopbackServer.Options()
  options.keptRequests = 0
  let server = try LoopbackServer(options: options) { $0.path == "/at-once" ? .text("ok") : .never }
  Worker.say("port", server.port)
  while readLine() != nil {}
}

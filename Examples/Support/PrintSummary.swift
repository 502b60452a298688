package import LoopbackServer

/// Writes the closing line: the program's own counts, and those of the built-in server if it was used.
///
/// - Returns: The exit status: 0 if nothing failed and the numbers agree.
package func printSummary(
  _ program: String, _ done: String, failures: Int, _ counter: RequestCounterPlugin, _ server: LoopbackServer?
) throws -> Int32 {
  let seen = try server.map { server in
    let log = try server.waitUntil { $0.pending == 0 }
    return (
      requests: log.requestCount, resumed: log.requests.count { $0.headers[counter.field] ?? "0" != "0" }
    )
  }
  func phrase(_ count: Int, _ what: String, _ seen: Int?) -> String {
    count.counted("request") + " " + what + (seen.map { " (server saw \($0))" } ?? "")
  }
  let counts = counter.current
  let sent = phrase(counts.requests, "sent", seen?.requests)
  let resumed = phrase(counts.resumed, "for the rest of a file", seen?.resumed)
  try output("\(done), \(failures) failed; \(sent), \(resumed)\n")
  let agrees = seen.map { $0 == counts } ?? true
  if !agrees { printError("the numbers disagree", program) }
  return failures == 0 && agrees ? 0 : 1
}

package import LoopbackServer

/// Writes the closing line: the program's own counts, and those of the built-in server if it was used.
///
/// - Returns: The exit status: 0 if nothing failed and the numbers agree.
package func conclude(
  _ program: String, _ done: String, failures: Int, _ tally: Tally, _ server: LoopbackServer?
) throws -> Int32 {
  let seen = try server.map { server in
    let log = try server.waitUntil { $0.pending == 0 }
    return (requests: log.requestCount, resumed: log.requests.count { $0.headers[tally.field] ?? "0" != "0" })
  }
  func words(_ own: Int, _ what: String, _ seen: Int?) -> String {
    own.counted("request") + " " + what + (seen.map { " (server saw \($0))" } ?? "")
  }
  let own = tally.current
  let sent = words(own.requests, "sent", seen?.requests)
  let resumed = words(own.resumed, "for the rest of a file", seen?.resumed)
  try output("\(done), \(failures) failed; \(sent), \(resumed)\n")
  let agrees = seen.map { $0 == own } ?? true
  if !agrees { complain("the numbers disagree", program) }
  return failures == 0 && agrees ? 0 : 1
}

import Foundation
import NetworkCore
import Processes

/// The connection of these results, in the place of the version.
private let newConnection = "new TLS"

/// Measures requests over HTTPS to a server that closes the connection after each response.
///
/// Each request makes a full handshake, because the server resumes no sessions, and verifies the server's certificate
/// with the clients' default authorities: the system's some 140 and, for the child process that measures them,
/// the server's own. The address in the URL needs no resolver. The time of the server is not included.
///
/// - Returns: the results; none if the child process cannot replace the system's authorities.
func newConnectionResults(_ server: Nginx, seconds: Double) throws -> [LoadResult] {
  let child = try ChildProcess(
    ["--new-connections", server.secureHTTP1URL, "--seconds", "\(seconds)"],
    systemAuthorities: server.authorities)
  defer { child.terminate() }
  var results: [LoadResult] = []
  while true {
    let line = child.receive().joined(separator: " ")
    guard !line.isEmpty else { return results }
    results.append(try JSONDecoder().decode(LoadResult.self, from: Data(line.utf8)))
  }
}

/// Measures all clients in the child process, and sends each result to the parent process.
func measureNewConnections(_ url: String, seconds: Double) throws {
  let curl = try CurlTransport()
  let peer = asyncHTTPClient()
  defer { try? peer.syncShutdown() }
  let references = [("libcurl multi in C, file", systemAuthorities), ("libcurl multi in C, defaults", nil)]
  let clients: [(String, RequestSender)] = [
    ("rx.request.map", try library(url, over: curl)),
    ("CurlTransport", transport(url, over: curl)),
    ("AsyncHTTPClient + JSONDecoder", asyncHTTPClient(url, peer)),
    ("URLSession + JSONDecoder", try urlSession(url)),
  ]
  func send(_ result: LoadResult) throws {
    ChildProcess.sendToParent(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
  }
  for concurrency in [1, 16] {
    for (name, authorities) in references {
      try send(
        measure(name, version: newConnection, concurrency: concurrency) {
          reference(url, authorities: authorities, concurrency: concurrency, seconds: seconds)
        })
    }
    for (name, sender) in clients {
      _ = LoadGenerator.run(concurrency: concurrency, seconds: seconds / 10, send: sender)
      try send(
        measure(name, version: newConnection, concurrency: concurrency) {
          LoadGenerator.run(concurrency: concurrency, seconds: seconds, send: sender)
        })
    }
  }
}

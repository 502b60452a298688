import Foundation
import NetworkCore
import Processes

/// Measures 2,000 requests that start at the same time, over HTTP/2 without a connection, and prints the times.
///
/// The server allows 128 streams for each connection, as nginx does by default, so that 16 connections carry all
/// requests. It answers at once, or 0.3 s after the request, as a slow service does. Each client starts anew for
/// each of five bursts, in turn with the others.
func measureBursts(answer: String) throws {
  let count = 2_000
  let rounds = 5
  let delayed = "auth_basic x; auth_basic_user_file /dev/null; auth_delay 300ms; error_page 401 =200 @answer;"
  let locations = [
    ("answered at once", "return 200 '\(answer)';"),
    ("answered after 0.3 s", "\(delayed) } location @answer { return 200 '\(answer)';"),
  ]
  for (name, location) in locations {
    let server = try Nginx(location: location, streams: 128, countsConnections: true)
    defer { server.stop() }
    let url = server.secureURL
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .file(server.certificate)
    let clients: [(String, () throws -> Int)] = [
      (
        "libcurl multi in C, 16 connections",
        {
          reference(
            url, authorities: server.certificate, connections: 16, concurrency: count, seconds: 0
          ).failures
        }
      ),
      (
        "rx.request.map",
        { burst(count, send: try library(url, over: CurlTransport(configuration: configuration))) }
      ),
      (
        "CurlTransport",
        { burst(count, send: transport(url, over: try CurlTransport(configuration: configuration))) }
      ),
      (
        "AsyncHTTPClient + JSONDecoder",
        {
          let peer = asyncHTTPClient(trusting: server.certificate)
          defer { peer.shutdown { _ in } }
          return burst(count, send: asyncHTTPClient(url, peer))
        }
      ),
    ]
    print("\(count) requests at once over HTTP/2, \(name)")
    var times = clients.map { _ in [Double]() }
    var connections = clients.map { _ in [Int]() }
    var failures = clients.map { _ in 0 }
    for _ in 0..<rounds {
      for (index, (_, run)) in clients.enumerated() {
        let before = server.connections
        let start = now()
        failures[index] += try run()
        times[index].append(Double(now() - start) / 1e9)
        connections[index].append(server.connections - before)
      }
    }
    let median = times[0].sorted()[rounds / 2]
    for (index, (client, _)) in clients.enumerated() {
      let sorted = times[index].sorted()
      print(
        client.padding(toLength: 36, withPad: " ", startingAt: 0)
          + String(
            format: "%.2f s (%.2f – %.2f), %.2fx", sorted[rounds / 2], sorted[0], sorted[rounds - 1],
            sorted[rounds / 2] / median)
          + ", connections \(connections[index].map(String.init).joined(separator: " "))"
          + ", failed \(failures[index])")
    }
    print("")
    fflush(nil)
  }
}

/// Sends so many requests at once and returns the number of failed ones.
private func burst(_ count: Int, send: @escaping RequestSender) -> Int {
  LoadGenerator.run(concurrency: count, seconds: 0, send: send).failures
}

import Foundation
import LoopbackServer
import NetworkCore
import Processes

/// Cancels requests that a server holds, one after another, and prints how long the server took to notice.
///
/// With HTTP/2 the server is nginx, which forwards the request over HTTP/1.1 and closes that connection when
/// the stream is reset; the measured time includes that.
func measureCancellationLatency(rounds: Int) throws {
  var options = LoopbackServer.Options()
  options.keptRequests = 0
  let server = try LoopbackServer(options: options) { _ in .never }
  print("milliseconds from cancel() until the server notices it")
  try show("HTTP/1.1", latencies(server.origin, over: CurlTransport(), server, rounds))
  do {
    let nginx = try Nginx(location: "proxy_pass \(server.origin); proxy_http_version 1.1;")
    defer { nginx.stop() }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .file(nginx.certificate)
    let transport = try CurlTransport(configuration: configuration)
    try show("HTTP/2, the only stream", latencies(nginx.secureURL, over: transport, server, rounds))
    let other = transport.start(TransportRequest(url: nginx.secureURL, idleTimeout: .zero)) { _ in }
    try server.waitUntil { $0.pending == 1 }
    try show("HTTP/2, one of two streams", latencies(nginx.secureURL, over: transport, server, rounds))
    other.cancel()
  } catch let unavailable as Nginx.UnavailableError {
    print(unavailable)
  }
}

private func latencies(
  _ url: String, over transport: CurlTransport, _ server: LoopbackServer, _ rounds: Int
) throws -> [Double] {
  let others = server.log.pending
  return try (0..<rounds).map { _ in
    let token = transport.start(TransportRequest(url: url, idleTimeout: .zero)) { _ in }
    try server.waitUntil { $0.pending == others + 1 }
    let begin = seconds()
    token.cancel()
    try server.waitUntil { $0.pending == others }
    return (seconds() - begin) * 1e3
  }
}

private func show(_ name: String, _ latencies: [Double]) {
  let parts = [("p50", 0.5), ("p99", 0.99), ("longest", 1)].map { name, part in
    String(format: "\(name) %.2f", latencies.percentile(part))
  }
  print("  \(name.padding(toLength: 32, withPad: " ", startingAt: 0))\(parts.joined(separator: "  "))")
  fflush(nil)
}

import Foundation

/// An nginx server on free ports of this machine: HTTP/1.1 without and with TLS, and HTTP/2 with TLS.
///
/// It resumes no TLS sessions, so that each new connection makes a full handshake.
public final class Nginx {
  /// The reason why there is no server.
  public enum UnavailableError: Error, CustomStringConvertible {
    case program(String)
    case start(String)

    /// The reason as text for the user.
    public var description: String {
      switch self {
      case .program(let name): "skipped: \(name) not found"
      case .start(let reason): "skipped: nginx did not start: \(reason)"
      }
    }
  }

  /// The root URL for HTTP/1.1 without TLS.
  public let plainURL: String
  /// The root URL for HTTP/2 over TLS.
  public let secureURL: String
  /// The root URL for HTTP/1.1 over TLS, with an address instead of a name.
  public let secureHTTP1URL: String
  /// The certificate of the TLS server, which clients must trust.
  public let certificate: String
  /// The system's authorities and the certificate of the TLS server in one file.
  public let authorities: String

  /// The number of connections on which requests have come so far; 0 unless they are counted.
  public var connections: Int {
    let log = try? String(contentsOf: folder.appending(path: "connections.log"), encoding: .utf8)
    return Set((log ?? "").split(separator: "\n")).count
  }

  private let folder: URL
  private let process = Process()

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - location: what the server does with a request, as directives of nginx's configuration.
  ///   - streams: the largest number of streams that a connection of HTTP/2 may carry at a time.
  ///   - countsConnections: whether ``connections`` is counted, for which the server writes a line for each request.
  /// - Throws: `UnavailableError`, or an error of the file system.
  public init(location: String, streams: Int = 512, countsConnections: Bool = false) throws {
    let nginx = try Self.find("nginx")
    let openssl = try Self.find("openssl")
    folder = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let ports = try (freePort(), freePort(), freePort())
    plainURL = "http://127.0.0.1:\(ports.0)/"
    secureURL = "https://localhost:\(ports.1)/"
    secureHTTP1URL = "https://127.0.0.1:\(ports.2)/"
    certificate = folder.appending(path: "certificate.pem").path()
    authorities = folder.appending(path: "authorities.pem").path()
    let key = folder.appending(path: "key.pem").path()
    try Self.run(
      openssl,
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost".words
        + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate])
    let known = try systemAuthorities.map { try String(contentsOfFile: $0, encoding: .utf8) } ?? ""
    try (known + String(contentsOfFile: certificate, encoding: .utf8))
      .write(toFile: authorities, atomically: true, encoding: .utf8)
    let configuration = folder.appending(path: "nginx.conf")
    try Self.configuration(
      folder: folder.path(), ports: ports, certificate: certificate, key: key, location: location,
      streams: streams, log: countsConnections ? "\(folder.path())/connections.log connection" : "off"
    )
    .write(to: configuration, atomically: true, encoding: .utf8)
    process.executableURL = URL(filePath: nginx)
    process.arguments = ["-p", folder.path(), "-e", "error.log", "-c", configuration.path()]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    do {
      try waitUntilListening(ports.0)
      try waitUntilListening(ports.1)
      try waitUntilListening(ports.2)
    } catch {
      stop()
      throw error
    }
  }

  /// Stops the server and removes its files.
  public func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private func waitUntilListening(_ port: UInt16) throws {
    for _ in 0..<500 {
      guard process.isRunning else { throw UnavailableError.start("it ended at once") }
      if canConnect(to: port) { return }
      usleep(10_000)
    }
    throw UnavailableError.start("nothing listens on port \(port)")
  }

  private static func find(_ program: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let candidates = (folders + ["/usr/sbin", "/usr/local/sbin"]).map { "\($0)/\(program)" }
    guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw UnavailableError.program(program)
    }
    return path
  }

  private static func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw UnavailableError.start("\(program) failed") }
  }

  private static func configuration(
    folder: String, ports: (UInt16, UInt16, UInt16), certificate: String, key: String, location: String,
    streams: Int, log: String
  ) -> String {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/\($0);"
    }
    return """
      daemon off; worker_processes 1; pid \(folder)/nginx.pid; error_log \(folder)/error.log;
      events { worker_connections 16384; }
      http {
        log_format connection $connection; access_log \(log);
        keepalive_requests 1000000000; keepalive_timeout 600s; http2_max_concurrent_streams \(streams);
        \(temporary.joined(separator: " "))
        default_type application/json;
        ssl_certificate \(certificate); ssl_certificate_key \(key); ssl_session_tickets off; ssl_session_cache off;
        server { listen 127.0.0.1:\(ports.0); location / { \(location) } }
        server { listen 127.0.0.1:\(ports.1) ssl http2; location / { \(location) } }
        server { listen 127.0.0.1:\(ports.2) ssl backlog=4096; location / { \(location) } }
      }
      """
  }
}

extension String {
  fileprivate var words: [String] { split(separator: " ").map(String.init) }
}

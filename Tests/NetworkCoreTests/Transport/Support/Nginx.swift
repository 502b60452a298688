import ReactiveNetworkChildProcess
import Foundation

/// An nginx for one test, on free ports of 127.0.0.1; it ends when this object is released.
///
/// It runs in the foreground, under a shell that ends it when the connection to this process closes, so that
/// none is left behind even if the tests crash.
final class Nginx: Sendable {
  struct Failure: Error {
    let words: String
  }

  /// One `server` block.
  struct Site: Sendable {
    var identity: CertificateAuthority.Identity?
    /// Further directives of the block.
    var directives = #"location / { default_type text/plain; return 200 "$server_protocol $ssl_protocol"; }"#
    var isHTTP2 = true
  }

  let ports: [UInt16]
  private let directory: URL
  private let shell: ChildProcess
  /// The write end of the shell's input; closing it ends the shell.
  private let lifeline: CInt

  /// Starts nginx; with `isReloadable`, it has a master process, which replaces its workers on `reload()`.
  init(_ sites: Site..., http: String = "", isReloadable: Bool = false) throws {
    var failure = Failure(words: "nginx was not started")
    // Another process may take a port between the search for a free one and the start of nginx.
    for _ in 0..<5 {
      do {
        (ports, directory, shell, lifeline) = try Self.start(
          sites, http: http, isReloadable: isReloadable)
        return
      } catch let error as Failure {
        failure = error
      }
    }
    throw failure
  }

  deinit {
    // The shell below then reads the end of its input and kills nginx by its id.
    close(lifeline)
    shell.wait()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Replaces nginx's workers; the old ones close their connections when the requests on them have ended.
  func reload() throws {
    let text = try String(contentsOf: directory.appendingPathComponent("pid"), encoding: .utf8)
    guard let id = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(id, SIGHUP) == 0 else {
      throw Failure(words: "no process \(text)")
    }
  }

  /// Returns the targets of the requests to sites with `access_log access.log` that have ended.
  func targets() throws -> [Substring] {
    let text = try String(contentsOf: directory.appendingPathComponent("access.log"), encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 6 ? words[6] : nil
    }
  }

  /// Returns `https://127.0.0.1:port`; pass `scheme` for a site without a certificate.
  func origin(_ site: Int = 0, host: String = "127.0.0.1", scheme: String = "https") -> String {
    "\(scheme)://\(host):\(ports[site])"
  }

  private static func start(
    _ sites: [Site], http: String, isReloadable: Bool
  ) throws -> ([UInt16], URL, ChildProcess, CInt) {
    guard let path = InstalledProgram.nginx.path else { throw Failure(words: "nginx is not installed") }
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "nginx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let ports = try sites.map { _ in try freePort() }
    let blocks = zip(sites, ports).map { site, port in
      let secure = site.identity.map {
        "ssl_certificate \($0.certificate); ssl_certificate_key \($0.key);"
      }
      let flags = (secure == nil ? "" : " ssl") + (site.isHTTP2 ? " http2" : "")
      return "server { listen 127.0.0.1:\(port)\(flags); \(secure ?? "") \(site.directives) }"
    }
    let log = directory.appendingPathComponent("error.log").path
    let names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    let text = """
      daemon off; master_process \(isReloadable ? "on" : "off"); pid \(directory.path)/pid; error_log \(log);
      worker_rlimit_nofile 4096;
      events { worker_connections 2048; }
      http {
        access_log off; keepalive_requests 100000;
        \(names.map { "\($0)_temp_path \(directory.path)/\($0);" }.joined(separator: " "))
        \(http)
        \(blocks.joined(separator: "\n"))
      }
      """
    let file = directory.appendingPathComponent("nginx.conf")
    try Data(text.utf8).write(to: file)

    let script = #""$0" -p "$1" -e "$1/error.log" -c "$2" </dev/null & id=$!; read -r _; kill $id; wait $id"#
    let (end, lifeline) = try uninheritedSocketPair()
    defer { close(end) }
    let shell = try ChildProcess(
      "/bin/sh", ["-c", script, path, directory.path, file.path], input: .descriptor(end))
    // nginx does not report when it listens, so this polls; the time it takes has no effect on the test.
    var words = ""
    let isOver = waitUntil {
      words = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      return words.contains("[emerg]") || ports.allSatisfy(isPortOpen)
    }
    guard isOver, !words.contains("[emerg]") else {
      close(lifeline)
      shell.wait()
      try? FileManager.default.removeItem(at: directory)
      throw Failure(words: words)
    }
    return (ports, directory, shell, lifeline)
  }
}

/// Returns a port of 127.0.0.1 that was free a moment ago.
func freePort() throws -> UInt16 {
  try withSocket { socket in
    var address = loopbackAddress(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isBound else { throw Nginx.Failure(words: "no free port: \(errno)") }
    return UInt16(bigEndian: address.sin_port)
  }
}

/// Returns `true` if a process listens on a port of 127.0.0.1.
func isPortOpen(_ port: UInt16) -> Bool {
  withSocket { socket in
    var address = loopbackAddress(port: port)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

private func withSocket<Result>(_ body: (CInt) throws -> Result) rethrows -> Result {
  #if canImport(Glibc)
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #endif
  defer { close(descriptor) }
  return try body(descriptor)
}

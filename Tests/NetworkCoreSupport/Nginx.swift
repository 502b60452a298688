import ReactiveNetworkChildProcess
import Foundation
import LoopbackServer

/// An nginx for one test, which speaks HTTP/2 over TLS on a free port of 127.0.0.1; it ends when this object is
/// released.
///
/// It runs in the foreground, under a shell that ends it when the connection to this process closes, so that
/// none is left behind even if the tests crash.
final class Nginx: Sendable {
  struct Failure: Error {
    let words: String
  }

  let port: UInt16
  private let directory: URL
  private let shell: ChildProcess
  /// The write end of the shell's input; closing it ends the shell.
  private let lifeline: CInt

  /// Starts nginx with a certificate, the directives of its `server` block, and further directives.
  init(_ identity: LoopbackServer.Identity, _ directives: String, http: String) throws {
    var failure = Failure(words: "nginx was not started")
    // Another process may take a port between the search for a free one and the start of nginx.
    for _ in 0..<5 {
      do {
        (port, directory, shell, lifeline) = try Self.start(identity, directives, http: http)
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

  /// Returns the targets of the requests that have ended, if the directives contain `access_log access.log`.
  func targets() throws -> [Substring] {
    let text = try String(contentsOf: directory.appendingPathComponent("access.log"), encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 6 ? words[6] : nil
    }
  }

  var origin: String { "https://127.0.0.1:\(port)" }

  private static func start(
    _ identity: LoopbackServer.Identity, _ directives: String, http: String
  ) throws -> (UInt16, URL, ChildProcess, CInt) {
    guard let path = InstalledProgram.nginx.path else { throw Failure(words: "nginx is not installed") }
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "nginx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try identity.certificate.write(to: directory.appendingPathComponent("certificate"))
    try identity.key.write(to: directory.appendingPathComponent("key"))
    let port = try freePort()
    let log = directory.appendingPathComponent("error.log").path
    let names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    let text = """
      daemon off; pid \(directory.path)/pid; error_log \(log);
      worker_rlimit_nofile 4096;
      events { worker_connections 2048; }
      http {
        access_log off; keepalive_requests 100000;
        \(names.map { "\($0)_temp_path \(directory.path)/\($0);" }.joined(separator: " "))
        \(http)
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(directory.path)/certificate; ssl_certificate_key \(directory.path)/key;
          \(directives)
        }
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
      return words.contains("[emerg]") || isPortOpen(port)
    }
    guard isOver, !words.contains("[emerg]") else {
      close(lifeline)
      shell.wait()
      try? FileManager.default.removeItem(at: directory)
      throw Failure(words: words)
    }
    return (port, directory, shell, lifeline)
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

import Foundation
import LoopbackServer
import Processes
import Synchronization

/// Runs the server until the standard input ends; each line there is a command, which it answers with a line.
func serve() throws {
  let server = try SoakServer()
  ChildProcess.sendToParent(try server.describe())
  while let command = readLine() {
    switch command {
    case "restart", "rotate":
      try server.restart(withNewCertificate: command == "rotate")
      ChildProcess.sendToParent("done")
    case "report": ChildProcess.sendToParent(try server.report())
    default: break
    }
  }
}

/// What the server tells its client at the start.
struct ServerDescription: Codable {
  var port: UInt16
  var securePort: UInt16
  /// The certificates of the authorities, in PEM.
  var authorities: String
}

/// What the server has seen.
struct ServerReport: Codable {
  /// The requests by their scenarios.
  var requests: [String: Int] = [:]
  /// The orders, and those that came twice.
  var orders = 0
  var repeatedOrders = 0
}

/// The body of most responses.
let text = String(repeating: "a soak of many requests ", count: 20)
/// The sizes in bytes of a large response, of a file to upload and of one to download, and a number of lines.
let (largeCount, uploadCount, fileCount, lineCount) = (1 << 20, 150_000, 300_000, 50)

func pageText(_ number: Int) -> String { String(repeating: "page \(number) ", count: 300) }

/// Whether the server fails an order, by its number.
func mayFail(order: Int) -> Bool { order % 10 == 0 }

/// Returns the hash of bytes (FNV-1a).
func checksum(_ bytes: Data) -> UInt64 {
  bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}

/// Two servers with one log: HTTP/1.1 without TLS, and HTTP/2 over TLS with one of two certificates.
private final class SoakServer {
  private let replies = Replies()
  private var (plain, secure): (LoopbackServer, LoopbackServer)
  private let identities: [LoopbackServer.Identity]
  private let authorities: [Data]
  private var rotations = 0

  init() throws {
    let replies = replies
    let settled = try (0..<2).map { _ in
      try LoopbackServer(tls: .generated(names: ["soak.test"]))
    }
    identities = settled.compactMap(\.identity)
    authorities = settled.map(\.authority)
    plain = try LoopbackServer(options: Self.options(http2: false)) { replies.reply(to: $0) }
    secure = try LoopbackServer(tls: .using(identities[0]), options: Self.options(http2: true)) {
      replies.reply(to: $0)
    }
  }

  private static func options(http2: Bool) -> LoopbackServer.Options {
    var options = LoopbackServer.Options()
    options.keptRequests = 0
    options.raisesDescriptorLimit = true
    if http2 { options.http2 = LoopbackServer.HTTP2() }
    return options
  }

  func describe() throws -> String {
    try json(
      ServerDescription(
        port: plain.port, securePort: secure.port,
        authorities: authorities.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")))
  }

  func report() throws -> String { try json(replies.report.withLock { $0 }) }

  /// Stops both servers, breaks all connections, and starts the servers again after a while.
  func restart(withNewCertificate isNew: Bool) throws {
    plain.stop()
    secure.stop()
    usleep(300_000)
    if isNew { rotations += 1 }
    let replies = replies
    plain = try LoopbackServer(port: plain.port, options: Self.options(http2: false)) {
      replies.reply(to: $0)
    }
    secure = try LoopbackServer(
      port: secure.port, tls: .using(identities[rotations % 2]), options: Self.options(http2: true)
    ) {
      replies.reply(to: $0)
    }
  }

  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }
}

/// Answers the requests, and counts them.
private final class Replies: Sendable {
  let report = Mutex(ServerReport())
  private let orders = Mutex<Set<Int>>([])
  private let begin = ContinuousClock.now

  func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
    report.withLock { $0.requests[request.headers[scenarioField] ?? "none", default: 0] += 1 }
    return switch request.path {
    case "/order": order(request)
    case "/private": isCurrent(request.headers["Authorization"]) ? .text(text) : .status(401)
    case "/token": .text("\(period)")
    case "/flaky": Int.random(in: 0..<4) == 0 ? .status(503) : .text(text)
    case "/page": page(request)
    case "/file": file(request)
    case "/upload": .text("\(checksum(request.body))")
    case "/lines": .text((0..<lineCount).map { "\($0)\n" }.joined()).chunked(size: 17)
    case "/events": events(request)
    case "/search": .text("found \(request.query("word") ?? "")").delayed(by: .milliseconds(5))
    case "/socket": .webSocket { socket in while let message = socket.receive() { socket.send(message) } }
    default: plainReply(to: request)
    }
  }

  private func plainReply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
    switch request.path {
    case "/echo": .bytes(request.body)
    case "/model": .json(#"{"id":7,"name":"a model"}"#)
    case "/chunked": .text(text).chunked(size: 50)
    case "/large": .repeating(0x61, count: largeCount)
    case "/slow": .text(text).delayed(by: .milliseconds(30))
    case "/trickle": .text(text).trickled(chunk: 60, every: .milliseconds(5))
    case "/missing": .text(text, status: 404)
    case "/full": .text(text, status: 507)
    case "/redirect": .redirect(to: "/text")
    case "/keys": .text(text).tls(.keyUpdate, after: 20)
    case "/leave": .text(text).http2(.goAway(), after: 20)
    case "/loop": .redirect(to: "/loop")
    case "/elsewhere": .redirect(to: "file:///etc/passwd")
    case "/never": .never
    case "/close": .close
    case "/reset": .reset
    case "/close-in-head": .text(text).truncated(after: 20, of: .head)
    case "/close-in-body": .text(text).truncated(after: 100)
    case "/reset-in-body": .text(text).truncated(after: 100, by: .reset)
    case "/stream-reset": .text(text).http2(.reset(code: 8), after: 100)
    case "/close-in-chunks": .text(text).chunked(size: 50).truncated(after: 100)
    case "/wrong-length": .text(text).contentLength(text.utf8.count + 10).closingConnection()
    case "/bad-chunk":
      .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nnone\r\n".utf8)
    case "/garbage": .raw("This is no HTTP at all.\r\n\r\n".utf8)
    default: .text(text)
    }
  }

  /// Each token is valid in its period of 20 s and in the next one.
  private var period: Int64 { (ContinuousClock.now - begin).components.seconds / 20 }

  private func isCurrent(_ authorization: String?) -> Bool {
    let current = period
    return authorization == "Bearer \(current)" || authorization == "Bearer \(current - 1)"
  }

  private func order(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
    let number = Int(request.query("id") ?? "") ?? 0
    let isNew = orders.withLock { $0.insert(number).inserted }
    report.withLock { report in
      if isNew { report.orders += 1 } else { report.repeatedOrders += 1 }
    }
    guard mayFail(order: number) else { return .status(201) }
    // Over HTTP/2, other requests use the connection too.
    return number % 20 == 0 ? .status(503) : request.stream == nil ? .close : .streamReset(code: 8)
  }

  private func page(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
    let number = Int(request.query("n") ?? "") ?? 0
    guard request.headers["If-None-Match"] != "\"\(number)\"" else {
      return LoopbackServer.Reply.status(304).header("ETag", "\"\(number)\"").header(
        "Cache-Control", "max-age=2")
    }
    return .text(pageText(number)).header("ETag", "\"\(number)\"").header("Cache-Control", "max-age=2")
  }

  /// Breaks off every second complete response, so that the client asks for the rest.
  private func file(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
    let bytes = pattern(fileCount)
    if let range = request.headers["Range"], let begin = Int(range.dropFirst("bytes=".count).dropLast()),
      begin < fileCount
    {
      return LoopbackServer.Reply.bytes(bytes.dropFirst(begin), status: 206)
        .header("ETag", "\"file\"").header("Content-Range", "bytes \(begin)-\(fileCount - 1)/\(fileCount)")
    }
    let reply = LoopbackServer.Reply.bytes(bytes).header("ETag", "\"file\"").header("Accept-Ranges", "bytes")
    if Bool.random() { return reply }
    return request.stream == nil
      ? reply.truncated(after: fileCount / 2) : reply.http2(.reset(code: 8), after: fileCount / 2)
  }

  /// Sends the seven events after the last one that the client has, and ends.
  private func events(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
    let last = Int(request.headers["Last-Event-ID"] ?? "") ?? 0
    let events = (last + 1...last + 7).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
    return .bytes(events.utf8, type: "text/event-stream").chunked(size: 20)
  }
}

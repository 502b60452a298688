import Foundation
import LoopbackServer
import ReactiveNetworkChildProcess
import Testing

@Suite("The watcher program as a service", .timeLimit(.minutes(5)))
struct WatcherServiceTests {
  private let watcher = ExampleProgram("watcher")
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @discardableResult
  private func configure(_ text: String) throws -> String { try folder.add("watcher.json", Data(text.utf8)) }

  private func services(_ urls: String...) -> String { #"{"services": \#(urls), "interval": 0.01}"# }

  @Test("the service manager sees the program start, live, reload and stop", arguments: [false, true])
  func life(isAbstract: Bool) async throws {
    let server = try LoopbackServer { _ in .json("{}") }
    server.route("/hangs") { _ in .never }
    let socket = try NotifySocket(
      isAbstract ? "@watcher-\(UUID().uuidString)" : folder.url.appending(path: "notify").path)
    let file = try configure(services("\(server.origin)/first"))
    let result = try await watcher.run(
      ["--config", file], environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "100000"]
    ) { [self] process, output in
      #expect(try socket.messages(until: "READY=1").joined().contains("STATUS=1 service, all well"))
      try socket.messages(until: "WATCHDOG=1")
      try socket.messages(until: "WATCHDOG=1")

      try configure(services("\(server.origin)/second", "\(server.origin)/hangs"))
      kill(process, SIGHUP)
      let reload = try #require(try socket.messages(until: "RELOADING=1").last)
      let time = try #require(
        reload.dropFirst().first.flatMap { Int64($0.dropFirst("MONOTONIC_USEC=".count)) })
      #expect(time > 0)
      try socket.messages(until: "READY=1")
      try server.waitUntil { log in
        log.requests.contains { $0.path == "/second" } && log.requests.contains { $0.path == "/hangs" }
      }

      try configure(services("\(server.origin)/third", "ftp://h/"))
      kill(process, SIGHUP)
      try socket.messages(until: "RELOADING=1")
      #expect(try socket.messages(until: "READY=1").joined().contains { $0.contains("services[1]") })

      try configure(services("\(server.origin)/second", "\(server.origin)/hangs"))
      kill(process, SIGHUP)
      #expect(try socket.messages(until: "READY=1").joined().contains("STATUS=2 services, all well"))
      let count = server.log.requests.count { $0.path == "/second" }
      try server.waitUntil { $0.requests.count { $0.path == "/second" } > count }

      kill(process, SIGTERM)
      try socket.messages(until: "STOPPING=1")
    }
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.split(separator: "\n") == [
        "watcher: watching 1 service", "watcher: watching 2 services",
        "watcher: keeping the former configuration: \(file): services[1]: \"ftp://h/\" is not an http or https URL",
      ])
    let log = try await server.log { $0.pending == 0 && $0.openConnections == 0 }
    #expect(log.abandoned.contains { $0.request.path == "/hangs" })
    #expect(!log.requests.contains { $0.path == "/third" })
  }

  @Test("pings stop while the output is blocked, and resume afterwards")
  func blocked() async throws {
    let server = try LoopbackServer { _ in .json("{}") }
    let socket = try NotifySocket(folder.url.appending(path: "notify").path)
    let result = try await watcher.run(
      ["--interval", "0", server.origin],
      environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "50000"]
    ) { process, output in
      try socket.messages(until: "WATCHDOG=1")
      // The pipe of the output, which nothing reads, fills up.
      while try socket.next(within: 2) != nil {}
      let reader = Thread { while !output.availableData.isEmpty {} }
      reader.start()
      try socket.messages(until: "WATCHDOG=1")
      kill(process, SIGTERM)
      try socket.messages(until: "STOPPING=1")
    }
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("a watchdog of another process is not served")
  func otherProcess() async throws {
    let server = try LoopbackServer { _ in .json("{}") }
    let socket = try NotifySocket(folder.url.appending(path: "notify").path)
    let environment = ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"]
    _ = try await watcher.run(["--interval", "0.01", server.origin], environment: environment) { process, _ in
      try server.waitUntil { $0.requestCount > 50 }
      kill(process, SIGTERM)
      let messages = try socket.messages(until: "STOPPING=1").joined()
      #expect(messages.contains("READY=1") && !messages.contains("WATCHDOG=1"))
    }
  }

  @Test("a service that begins to fail and recovers changes the status", arguments: [false, true])
  func health(isJournal: Bool) async throws {
    let server = try LoopbackServer()
    server.route("/") { [weak server] _ in (server?.log.requestCount ?? 0) < 5 ? .status(404) : .json("{}") }
    let socket = try NotifySocket(folder.url.appending(path: "notify").path)
    let errors = try folder.add("errors", Data())
    var status = stat()
    #expect(stat(errors, &status) == 0)
    let journal = "\(status.st_dev):\(status.st_ino + (isJournal ? 0 : 1))"
    let process = try ChildProcess(
      watcher.url.path, ["--interval", "0.01", "\(server.origin)/"],
      environment: ["NOTIFY_SOCKET": socket.name, "JOURNAL_STREAM": journal], input: .none,
      errors: .file(errors))
    let exit = try await process.waitForExit {
      try await onBlockingThread {
        try socket.messages(until: "STATUS=1 service, 1 failing")
        try socket.messages(until: "STATUS=1 service, all well")
        kill(process.id, SIGINT)
      }
    }
    #expect(exit == 0)
    let lines = String(decoding: folder.content("errors") ?? Data(), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("\(isJournal ? "<4>" : "")watcher: \(server.origin)/ fails: ") == true)
    #expect(lines.last == "\(isJournal ? "<5>" : "")watcher: \(server.origin)/ has recovered")
  }

  @Test(
    "a faulty file is refused with the value that is wrong",
    arguments: [
      ("[1]", #"not a JSON object with "services""#), ("{", #"not a JSON object with "services""#),
      ("{}", "services is missing"), (#"{"services": []}"#, "services: the list is empty"),
      (#"{"services": ["http://h", 7]}"#, "services[1]: "),
      (#"{"services": ["http://h"], "interval": 0}"#, "interval: 0.0 is not a number from 0.01 to 86400"),
      (#"{"services": ["http://h"], "intervall": 1}"#, #"unknown key "intervall""#),
      (#"{"services": ["http://h", "http://h"]}"#, "services: the same URL occurs twice"),
    ])
  func faulty(text: String, reason: String) async throws {
    let file = try configure(text)
    let result = try await watcher.run(["--config", file])
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("watcher: \(file): \(reason)"), "\(result.errors)")
  }

  private static let analyzer = "/usr/bin/systemd-analyze"

  @Test(
    "systemd accepts the unit",
    .enabled(if: FileManager.default.isExecutableFile(atPath: analyzer), "needs systemd-analyze"))
  func unit() async throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../Examples/Watcher/watcher.service")
      .standardizedFileURL
    // The program is not installed.
    let unit = try String(contentsOf: file, encoding: .utf8).replacing(
      "/usr/local/bin/watcher", with: watcher.url.path)
    let path = try folder.add("watcher.service", Data(unit.utf8))
    let errors = folder.url.appending(path: "errors").path
    let process = try ChildProcess(Self.analyzer, ["verify", path], input: .none, errors: .file(errors))
    #expect(try await process.waitForExit {} == 0)
    #expect(folder.content("errors") == Data())
  }
}

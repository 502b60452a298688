import ReactiveNetworkExamples
import Foundation
import LoopbackServer
import NetworkCore
import Testing

@Suite("The downloader program", .timeLimit(.minutes(5)))
struct DownloaderTests {
  private let downloader = ExampleProgram("downloader")
  private var content: Data { Self.content }
  /// Made once, because that takes long.
  private static let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })

  /// Responds like a file server, range requests included.
  private func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
    guard request.headers["If-Range"] == "\"1\"", let range = request.headers["Range"],
      let start = Int(range.dropFirst("bytes=".count).dropLast())
    else { return .bytes(content).header("ETag", "\"1\"") }
    return .bytes(content[start...], status: 206).header("ETag", "\"1\"")
      .header("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
  }

  @Test("the program downloads from its own server, and its counts match the server's")
  func builtIn() async throws {
    let folder = try TemporaryFolder()
    let result = try await downloader.run(["--directory", folder.path])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(
      result.lines.last == """
        5 files complete, 0 failed; 6 requests sent (server saw 6), \
        1 request for the rest of a file (server saw 1)
        """)
    #expect(result.lines.count { $0.hasPrefix("✓ ") } == 5)
    #expect(folder.names == ["alpine.iso", "broken-off.tar", "city-map.bin", "drums.flac", "elephants.mp4"])
  }

  @Test(
    "an interrupted download leaves a part, and the next run requests only the rest",
    arguments: [SIGKILL, SIGTERM, SIGINT, SIGHUP])
  func interrupted(signal: Int32) async throws {
    let folder = try TemporaryFolder()
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      reply(to: request).trickled(chunk: 100_000, every: .milliseconds(40)).bodyHeld(
        until: gate, after: 600_000)
    }
    let arguments = ["--directory", folder.path, "\(server.origin)/file.bin#sha256=\(SHA256.hex(content))"]
    let first = try await downloader.run(arguments) { process, output in
      output.read(until: "50 % of 1.0 MB")
      kill(process, signal)
    }
    #expect(first.status == (signal == SIGKILL ? -SIGKILL : 128 + signal))
    #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    let part = try #require(folder.content("file.bin.part")?.count)
    #expect((500_000...600_000).contains(part))

    gate.open()
    let second = try await downloader.run(arguments)
    #expect(second.status == 0, "\(second.output)")
    #expect(
      second.lines.last == "1 file complete, 0 failed; 1 request sent, 1 request for the rest of a file")
    #expect(folder.names == ["file.bin"])
    #expect(folder.content("file.bin") == content)
    #expect(server.log.requests.map { $0.headers["Range"] } == [nil, "bytes=\(part)-"])
  }

  @Test("a download continues as long as each truncated response brings more bytes")
  func truncated() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { reply(to: $0).truncated(after: 150_000) }
    let result = try await downloader.run(["--directory", folder.path, "\(server.origin)/file.bin"])
    #expect(result.status == 0, "\(result.output)")
    #expect(folder.content("file.bin") == content)
    #expect(result.lines.count { $0.hasPrefix("· file.bin  retrying: The body ended early") } == 6)
    #expect(server.log.requestCount == 7)
  }

  @Test("a download fails after five attempts without progress")
  func hopeless() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { [content] _ in .bytes(content).truncated(after: 0) }
    let result = try await downloader.run(["--directory", folder.path, "\(server.origin)/file.bin"])
    #expect(result.status == 1)
    #expect(result.output.contains("✗ file.bin  The body ended early"))
    #expect(server.log.requestCount == 5)
    #expect(folder.names.isEmpty)
  }

  @Test("a file with the wrong checksum is removed")
  func wrongSum() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { reply(to: $0) }
    let sum = String(repeating: "0", count: 64)
    let result = try await downloader.run([
      "--directory", folder.path, "\(server.origin)/file.bin#sha256=\(sum)",
    ])
    #expect(result.status == 1)
    #expect(result.output.contains("✗ file.bin  removed: it has SHA-256 \(SHA256.hex(content)), not \(sum)"))
    #expect(folder.names.isEmpty)
  }

  @Test("an existing file is checked instead of downloaded")
  func existing() async throws {
    let folder = try TemporaryFolder()
    try folder.add("right", content)
    try folder.add("wrong", Data("mine".utf8))
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("folder"), withIntermediateDirectories: false)
    let server = try LoopbackServer()
    let sum = "#sha256=\(SHA256.hex(content))"
    let result = try await downloader.run(
      [
        "--directory=\(folder.path)", "\(server.origin)/right\(sum)", "\(server.origin)/wrong\(sum)",
        "\(server.origin)/folder",
      ])
    #expect(result.status == 1)
    #expect(result.output.contains("✓ right  already exists\n"))
    #expect(result.output.contains("✗ wrong  a different file already exists, with SHA-256"))
    #expect(result.output.contains("✗ folder  There is a folder at"))
    #expect(folder.content("wrong") == Data("mine".utf8))
    #expect(server.log.requestCount == 0)
  }

  @Test("each failed file is reported with its reason, and the others are downloaded")
  func failures() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer()
    server.route("/here") { reply(to: $0) }
    let result = try await downloader.run([
      "--directory", folder.path, "\(server.origin)/gone", "http://127.0.0.1:1/refused",
      "\(server.origin)/here",
    ])
    #expect(result.status == 1)
    #expect(result.output.contains("✗ gone  the server responded with 404"))
    #expect(result.output.contains("✗ refused  no connection to 127.0.0.1:1"))
    #expect(result.lines.last?.hasPrefix("1 file complete, 2 failed; ") == true)
    #expect(folder.names == ["here"])
  }

  @Test("a folder that cannot be written to is reported")
  func unwritable() async throws {
    let server = try LoopbackServer { reply(to: $0) }
    let result = try await downloader.run(["--directory", "/proc/self/nothing", "\(server.origin)/file.bin"])
    #expect(result.status == 1)
    #expect(result.output.contains("✗ file.bin  \"/proc/self/nothing\" could not be written"))
  }

  @Test("the program ends cleanly when the reader closes its output")
  func unread() async throws {
    let folder = try TemporaryFolder()
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { reply(to: $0).bodyHeld(until: gate, after: content.count / 4) }
    let result = try await downloader.run(["--directory", folder.path, "\(server.origin)/file.bin"]) {
      _, output in
      output.read(until: "25 %")
      try output.close()
      gate.open()
    }
    #expect(result.status == 1)
    #expect(result.errors == "downloader: the output has been closed\n")
  }

  @Test("--help prints the help")
  func help() async throws {
    let result = try await downloader.run(["--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("usage: swift run downloader"))
    #expect(result.lines.allSatisfy { $0.count <= 84 })
  }

  @Test(
    "invalid arguments are refused with status 2",
    arguments: [
      (["--fast"], #"unknown argument "--fast""#), (["file"], #""file" is not an http or https URL"#),
      (["--concurrency", "0"], #""0" is not a number from 1 to 64"#),
      (["--directory"], "--directory needs a folder"),
      (["--timeout=nan"], #""nan" is not a number of seconds"#),
      (["http://h/a#sha256=12"], #""12" is not a SHA-256"#),
      (["http://h/a", "http://g/a"], #"two of the files are called "a""#),
      (["http://h/a%00"], "does not end with a usable file name"),
      (["http://h/a%2Fb"], "does not end with a usable file name"),
      (["http://h/.."], "does not end with a usable file name"),
    ])
  func wrongArguments(arguments: [String], message: String) async throws {
    let result = try await downloader.run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}

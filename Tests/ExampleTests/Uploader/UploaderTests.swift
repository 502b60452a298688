import ReactiveNetworkExamples
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import Testing

@Suite("The uploader program", .timeLimit(.minutes(5)))
struct UploaderTests {
  private let uploader = ExampleProgram("uploader")
  private let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })

  @Test("the program uploads to its own server, and its counts match the server's")
  func builtIn() async throws {
    let result = try await uploader.run([])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let last = try #require(result.lines.last)
    let match = try #require(
      last.wholeMatch(
        of: /4 files uploaded, 0 failed; (\d+) requests sent \(server saw (\d+)\), (.*) \(server saw 1\)/))
    #expect(match.1 == match.2)
    #expect(match.3 == "1 request for the rest of a file")
    #expect(result.output.contains("the server responded with 401"))
    #expect(result.lines.count { $0.hasPrefix("✓ ") && $0.hasSuffix("SHA-256 matches") } == 4)
  }

  @Test("a form has one part, with the given field and file names")
  func form() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.add("a.bin", content)
    let server = try LoopbackServer { $0.method == "HEAD" ? .status(404) : .json("{}", status: 201) }
    let result = try await uploader.run(["--to", "\(server.origin)/in", "--field", "photo", file])
    #expect(result.status == 0, "\(result.output)")
    #expect(
      result.lines.last == "1 file uploaded, 0 failed; 2 requests sent, 0 requests for the rest of a file"
    )
    #expect(server.log.requests.map { "\($0.method) \($0.target)" } == ["HEAD /in/a.bin", "POST /in"])
    let request = try #require(server.log.requests.last)
    #expect(request.headers["Authorization"] == nil)
    #expect(request.headers["Upload-Offset"] == "0")
    #expect(request.body.range(of: Data(#"; name="photo"; filename="a.bin""#.utf8)) != nil)
    #expect(request.body.range(of: content) != nil)
  }

  @Test("an interrupted upload leaves nothing running, and the next run sends only what the server lacks")
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.add("a.bin", content)
    let stored = Lock<Int?>(nil)
    let server = try LoopbackServer { [content] request in
      let count = stored.withLock { $0 }
      guard request.method == "HEAD" else { return count == nil ? .never : .json("{}") }
      return count.map {
        .status(200).header("Upload-Offset", "\($0)").header("Upload-Length", "\(content.count)")
      } ?? .status(404)
    }
    let first = try await uploader.run(["--to", server.origin, file]) { process, _ in
      try server.waitUntil { $0.requestCount == 2 }
      kill(process, SIGTERM)
    }
    #expect(first.status == 128 + SIGTERM)
    try await server.log { $0.abandoned.count == 1 && $0.pending == 0 }

    stored.withLock { $0 = 200_000 }
    let second = try await uploader.run(["--to", server.origin, file])
    #expect(second.status == 0, "\(second.output)")
    let rest = try #require(server.log.requests.last)
    #expect(rest.headers["Upload-Offset"] == "200000")
    #expect(rest.headers["Upload-Length"] == "300000")
    #expect(rest.body.range(of: Data("\r\n\r\n".utf8) + content[200_000...] + Data("\r\n--".utf8)) != nil)
  }

  @Test("a transient failure is retried after a request for what the server already has")
  func retries() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.add("a.bin", content)
    let faults = Lock([LoopbackServer.Reply.status(503), .reset])
    let server = try LoopbackServer { request in
      if request.method == "HEAD" { return .status(404) }
      return faults.withLock { $0.popLast() } ?? .json("{}")
    }
    let result = try await uploader.run(["--to", server.origin, file])
    #expect(result.status == 0, "\(result.output)")
    #expect(server.log.requests.map(\.method) == ["HEAD", "POST", "HEAD", "POST", "HEAD", "POST"])
    #expect(result.output.contains("· a.bin  retrying: the server responded with 503"))
  }

  @Test("a refused token is refreshed if there is a token URL, and the upload is retried")
  func renewed() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.add("a.bin", content)
    let server = try LoopbackServer { request in
      request.method == "HEAD" || request.headers["Authorization"] == "Bearer new"
        ? .json("{}") : .status(401)
    }
    server.route("POST", "/token") { _ in .json(#"{"token": "new"}"#) }
    let arguments = ["--to", "\(server.origin)/in", file]
    let refused = try await uploader.run(arguments, environment: ["UPLOAD_TOKEN": "old"])
    #expect(refused.status == 1)
    #expect(refused.output.contains("✗ a.bin  the server responded with 401"))
    #expect(server.log.requests.last?.headers["Authorization"] == "Bearer old")
    let result = try await uploader.run(
      arguments + ["--token-url", "\(server.origin)/token"], environment: ["UPLOAD_TOKEN": "old"])
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("· a.bin  the server responded with 401"))
    #expect(server.log.requests.count { $0.path == "/token" } == 1)
    #expect(server.log.requests.last?.headers["Authorization"] == "Bearer new")
  }

  @Test("an upload fails if the server reports another checksum")
  func wrongSum() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.add("a.bin", content)
    let server = try LoopbackServer { _ in .json(#"{"sha256": "12"}"#) }
    let result = try await uploader.run(["--to", server.origin, file])
    #expect(result.status == 1)
    #expect(result.output.contains("✗ a.bin  the server has SHA-256 12, this file \(SHA256.hex(content))"))
  }

  @Test("each failed file is reported with its reason, and the others are uploaded")
  func failures() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.add("a.bin", content)
    let server = try LoopbackServer { _ in .json("{}") }
    let missing = try await uploader.run(["--to", server.origin, folder.path + "/none", folder.path, file])
    #expect(missing.status == 1)
    #expect(missing.lines.last?.hasPrefix("1 file uploaded, 2 failed; 2 requests sent") == true)
    let refused = try await uploader.run(["--to", "http://127.0.0.1:1", file])
    #expect(refused.status == 1)
    #expect(refused.output.contains("✗ a.bin  no connection to 127.0.0.1:1"))
  }

  @Test("--help prints the help")
  func help() async throws {
    let result = try await uploader.run(["--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("usage: swift run uploader"))
    #expect(result.lines.allSatisfy { $0.count <= 84 })
  }

  @Test(
    "invalid arguments are refused with status 2",
    arguments: [
      (["--fast"], #"unknown argument "--fast""#), (["a"], "--to is required to upload files"),
      (["--to", "ftp://h"], #""ftp://h" is not an http or https URL"#),
      (["--to", "http://h"], "there is no file to upload"),
      (["--limit-rate", "1k", "a"], #""1k" is not a number from 1"#), (["--to"], "--to needs a URL"),
      (["--to", "http://h", "a/x", "b/x"], #"two of the files are called "x""#),
    ])
  func wrongArguments(arguments: [String], message: String) async throws {
    let result = try await uploader.run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}

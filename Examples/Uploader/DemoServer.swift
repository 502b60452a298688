import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock
import LoopbackServer

/// A server in this process that stores files.
///
/// Its token expires when it has stored the first file. It loses the second half of one file together with
/// the connection.
struct DemoServer {
  private struct State {
    var token = "first"
    var files: [String: Data] = [:]
    var hasLostConnection = false
  }

  /// The names and sizes of the files that are uploaded to it.
  private static let sizes = [
    "broken-off.mov": 2_500_000, "holiday.jpg": 900_000, "notes.txt": 40_000, "talk.wav": 1_800_000,
  ]

  let server: LoopbackServer
  private let folder: URL

  /// Starts the server, and creates the files to upload in a temporary folder.
  init(for arguments: inout Arguments) throws {
    let server = try LoopbackServer()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("uploader-\(server.port)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    arguments.files = try Self.sizes.sorted { $0.key < $1.key }.map { [folder] name, size in
      let file = folder.appendingPathComponent(name)
      try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ name.count) }).write(to: file)
      return file
    }
    arguments.destination = server.baseURL.appending(path: "files")
    arguments.tokenURL = server.baseURL.appending(path: "token")
    arguments.token = "first"
    // Slow enough to watch.
    arguments.rate = arguments.rate ?? 2_000_000
    let state = Lock(State())
    server.route("POST", "/token") { _ in .json(#"{"token": "\#(state.withLock { $0.token })"}"#) }
    server.route("HEAD", "/files/:name") { request in
      let (token, file) = state.withLock { ($0.token, $0.files[request.parameters["name"] ?? ""]) }
      guard request.headers["Authorization"] == "Bearer \(token)" else { return .status(401) }
      guard let file, let length = Self.sizes[request.parameters["name"] ?? ""] else { return .status(404) }
      return .status(200).header("Upload-Offset", "\(file.count)").header("Upload-Length", "\(length)")
    }
    server.route("POST", "/files") { request in
      guard let (name, content) = request.file else { return .status(400) }
      return state.withLock { state in
        guard request.headers["Authorization"] == "Bearer \(state.token)" else { return .status(401) }
        let known = state.files[name] ?? Data()
        guard request.headers["Upload-Offset"] == "\(known.count)" else { return .status(409) }
        if name == "broken-off.mov", !state.hasLostConnection {
          state.hasLostConnection = true
          state.files[name] = content.prefix(content.count / 2)
          return .reset
        }
        state.files[name] = known + content
        state.token = "second"
        return .json(#"{"sha256": "\#(SHA256.hex(known + content))"}"#)
      }
    }
    self.server = server
  }

  func removeFiles() { try? FileManager.default.removeItem(at: folder) }
}

extension LoopbackServer.Request {
  /// The single part of a multipart form: its file name and its bytes.
  fileprivate var file: (name: String, content: Data)? {
    guard let boundary = headers["Content-Type"]?.split(separator: "boundary=").last,
      let head = body.range(of: Data("\r\n\r\n".utf8)),
      let name = String(decoding: body[..<head.lowerBound], as: UTF8.self).firstMatch(
        of: /filename="([^"]*)"/),
      let tail = body.range(of: Data("\r\n--\(boundary)--".utf8), options: .backwards)
    else { return nil }
    return (String(name.1), body[head.upperBound..<tail.lowerBound])
  }
}

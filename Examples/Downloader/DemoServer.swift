import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock
import LoopbackServer

/// A server in this process that offers some files, and cuts off the first download of one of them in the
/// middle.
struct DemoServer {
  /// The names and sizes of the files.
  private static let files = [
    "alpine.iso": 1_500_000, "broken-off.tar": 1_200_000, "city-map.bin": 900_000, "drums.flac": 1_100_000,
    "elephants.mp4": 1_300_000,
  ]

  let server: LoopbackServer
  let items: [DownloadItem]
  /// The default folder for the files, which is the same for each run on the same port.
  var folder: URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("downloader-\(server.port)")
  }

  init() throws {
    // Uses the same port if it is free, so that a second run can resume the files of an interrupted one.
    let server = try (try? LoopbackServer(port: 28_080)) ?? LoopbackServer()
    var items: [DownloadItem] = []
    for (name, size) in Self.files.sorted(by: { $0.key < $1.key }) {
      let content = Self.content(of: name, size)
      let sum = SHA256.hex(content)
      let isBroken = Lock(name == "broken-off.tar")
      server.route("GET", "/\(name)") { request in
        let tag = "\"\(sum.prefix(16))\""
        let from = request.headers["If-Range"] == tag ? request.rangeStart : nil
        var reply = LoopbackServer.Reply.bytes(content.dropFirst(from ?? 0), status: from == nil ? 200 : 206)
          .header("ETag", tag).trickled(chunk: 16_384, every: .milliseconds(20))
        if let from { reply = reply.header("Content-Range", "bytes \(from)-\(size - 1)/\(size)") }
        let breaks = isBroken.withLock { isBroken in
          defer { isBroken = false }
          return isBroken && from == nil
        }
        return breaks ? reply.truncated(after: size * 3 / 5) : reply
      }
      items.append(try DownloadItem("\(server.origin)/\(name)#sha256=\(sum)"))
    }
    (self.server, self.items) = (server, items)
  }

  /// Returns bytes that differ from file to file and are the same in each run.
  private static func content(of name: String, _ size: Int) -> [UInt8] {
    let seed = Array(SHA256.hex(Array(name.utf8)).utf8)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      for index in 0..<size { buffer[index] = seed[index & 63] &+ UInt8(truncatingIfNeeded: index >> 6) }
      count = size
    }
  }
}

extension LoopbackServer.Request {
  /// The start of a range that extends to the end.
  fileprivate var rangeStart: Int? {
    guard let range = headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
    return Int(range.dropFirst("bytes=".count).dropLast())
  }
}

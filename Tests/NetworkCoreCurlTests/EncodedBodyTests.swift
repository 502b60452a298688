import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The ways to mark the end of a body.
private enum Framing: CaseIterable, Sendable {
  case length, chunks, oneChunk, close

  func frame(_ bytes: Data, _ size: Int, coding: String = "gzip") -> LoopbackServer.Reply {
    let reply = LoopbackServer.Reply.bytes(bytes).header("Content-Encoding", coding)
    return switch self {
    case .length: reply
    case .chunks: reply.chunked(size: size).trailer("X", "y")
    case .oneChunk: reply.chunked()
    case .close: reply.endedByClosing()
    }
  }
}

@Suite("Bodies compressed with gzip or deflate", .timeLimit(.minutes(5)))
struct EncodedBodyTests {
  private let text = Data(String(repeating: "hello ", count: 20).utf8)
  private let compressed = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8igOwkAL/r4SHgAAAA=") ?? Data()
  private let deflated = Data(base64Encoded: "eNrLSM3JyVfIoDsJAHe6LBE=") ?? Data()
  /// `compressed`, compressed again with deflate.
  private let twice = Data(base64Encoded: "eNqT7+ZgAAEm5tMeZ0+eDD+xwJqTQf/XD48KoCAAeNoJDg==") ?? Data()

  @Test(
    "a compressed body that ends early is an error, wherever it ends",
    arguments: Framing.allCases, ["gzip", "deflate", "X-GZip"])
  private func early(framing: Framing, coding: String) async throws {
    let compressed = coding == "deflate" ? deflated : compressed
    let server = try LoopbackServer { request in
      framing.frame(compressed.prefix(Int(request.path.dropFirst()) ?? 0), 5, coding: coding)
    }
    let transport = try CurlTransport()
    for count in 1..<compressed.count {
      let events = await transport.exchange(.init(url: "\(server.origin)/\(count)"))
      guard case .truncatedBody? = events.error else {
        Issue.record("\(count) bytes: \(String(describing: events.error)), \(events.body.count) decompressed")
        continue
      }
    }
  }

  @Test("a complete body is decompressed, however it is split", arguments: Framing.allCases, 1...11)
  private func whole(framing: Framing, size: Int) async throws {
    let compressed = compressed
    let server = try LoopbackServer { request in
      request.path == "/empty" ? framing.frame(Data(), 1) : framing.frame(compressed, size)
    }
    let transport = try CurlTransport()
    let events = await transport.exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.body == text)
    let head = await transport.exchange(.init(method: .head, url: server.origin))
    #expect(head.error == nil)
    let empty = await transport.exchange(.init(url: "\(server.origin)/empty"))
    #expect(empty.error == nil)
    #expect(empty.pieces.isEmpty)
  }

  @Test("a deflated body needs its checksum to be complete, and raw deflate data needs none")
  func deflate() async throws {
    // Raw deflate data, as some servers send it, without header and checksum.
    let bare = deflated.dropFirst(2).dropLast(4)
    let long = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
    let stored = Deflate.store(long)
    let deflated = deflated
    let server = try LoopbackServer { request in
      let framing = request.path.hasSuffix("chunks") ? Framing.chunks : .length
      let size = request.path.hasPrefix("/long") ? 1_000 : 3
      return switch request.path.split(separator: "-").first {
      case "/bare": framing.frame(Data(bare), size, coding: "deflate")
      case "/long": framing.frame(stored, size, coding: "deflate")
      case "/empty": framing.frame(Data([0x78, 0x9C, 3, 0, 0, 0, 0, 1]), size, coding: "deflate")
      default: framing.frame(deflated, size, coding: "deflate")
      }
    }
    let transport = try CurlTransport()
    for framing in ["length", "chunks"] {
      for (path, body) in [("/whole", text), ("/bare", text), ("/long", long), ("/empty", Data())] {
        let events = await transport.exchange(.init(url: server.origin + path + "-" + framing))
        #expect(events.error == nil, "\(path)-\(framing)")
        #expect(events.body == body)
      }
    }
  }

  @Test(
    "several codings are removed in the reverse order of their application",
    arguments: ["gzip, deflate", "gzip,identity , deflate", "gzip, none, deflate"])
  func severalCodings(codings: String) async throws {
    let twice = twice
    let server = try LoopbackServer { _ in .bytes(twice).header("Content-Encoding", codings) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.body == text)
  }

  @Test("a body with two codings is incomplete without the checksum of the last one", arguments: 1...4)
  func earlyOuterCoding(missing: Int) async throws {
    let twice = twice.dropLast(missing)
    let server = try LoopbackServer { _ in .bytes(twice).header("Content-Encoding", "gzip, deflate") }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    guard case .truncatedBody? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("a body with two codings is incomplete without the end of the first one", arguments: 1...8)
  func earlyInnerCoding(missing: Int) async throws {
    let body = Deflate.store(compressed.dropLast(missing))
    let server = try LoopbackServer { _ in .bytes(body).header("Content-Encoding", "gzip, deflate") }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    guard case .truncatedBody? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("bytes after the end of either of two codings are an error")
  func surplusOfTwoCodings() async throws {
    let surplus = Data("x".utf8)
    let (outer, inner) = (twice + surplus, Deflate.store(compressed + surplus))
    let server = try LoopbackServer { request in
      .bytes(request.path == "/outer" ? outer : inner).header("Content-Encoding", "gzip, deflate")
    }
    let transport = try CurlTransport()
    for path in ["/outer", "/inner"] {
      let events = await transport.exchange(.init(url: server.origin + path))
      guard case .badServerResponse? = events.error else {
        Issue.record("\(path): \(String(describing: events.error))")
        continue
      }
    }
  }

  @Test("raw deflate data whose first bytes resemble a frame is decompressed", arguments: [2, 28] as [UInt8])
  func resemblingDeflate(count: UInt8) async throws {
    // A block without compression, in whose first byte the five upper bits have no meaning, and an empty one. With
    // a length of 28, the first two bytes also are a multiple of 31, as those of a frame are.
    let text = Data(repeating: UInt8(ascii: "x"), count: Int(count))
    let head: [UInt8] = [count == 28 ? 0x88 : 0x08, count, 0, ~count, 0xFF]
    let body = Data(head) + text + Data([3, 0])
    let server = try LoopbackServer { _ in .bytes(body).header("Content-Encoding", "deflate") }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.body == text)
  }

  /// A chunked response whose body is `twice`, with a transfer coding before its content coding.
  private func transferCoded(content: String) -> [UInt8] {
    let fields = "Transfer-Encoding: deflate, chunked\r\nContent-Encoding: \(content)\r\n"
    let size = String(twice.count, radix: 16)
    return Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\(size)\r\n".utf8) + Array(twice)
      + Array("\r\n0\r\n\r\n".utf8)
  }

  @Test("a transfer coding is removed before the content coding, whichever field comes first")
  func transferCoding() async throws {
    let response = transferCoded(content: "gzip")
    let server = try LoopbackServer { _ in .raw(response) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    if case .badServerResponse? = events.error, events.head == nil {
      // Newer versions of libcurl refuse a transfer coding that the request did not offer.
      return
    }
    #expect(events.error == nil)
    #expect(events.body == text)
  }

  @Test("a body of unknown coding is not delivered with its transfer coding, whatever the caller accepts")
  func transferCodingOfUnknown() async throws {
    let response = transferCoded(content: "utf-8")
    let server = try LoopbackServer { _ in .raw(response) }
    let events = await (try CurlTransport()).exchange(
      .init(url: server.origin, headers: ["Accept-Encoding": "*"]))
    guard case .badServerResponse? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(events.pieces.isEmpty)
  }

  @Test(
    "a coding without effect leaves the body unchanged", arguments: ["identity", "Identity", "none", ""])
  func noCoding(coding: String) async throws {
    let server = try LoopbackServer { _ in .text("ok").header("Content-Encoding", coding) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.body == Data("ok".utf8))
  }

  @Test(
    "a coding whose name begins with a known one is unknown",
    arguments: ["identity2", "nonesuch", "gzip+"])
  func similar(coding: String) async throws {
    let server = try LoopbackServer { _ in .text("ok").header("Content-Encoding", coding) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    guard case .badServerResponse(let reason)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(reason.contains(coding))
  }

  @Test("five codings are removed, and six are rejected")
  func codingLimit() async throws {
    // `compressed`, compressed with gzip four more times and five more times.
    let five = """
      H4sIAAAAAAACA5Pv5mAAASbmye+fJTAwqj07+X6+qoHBKlvrn3X7VjUe1Lp91+ry/Zvf5ddX35GwjPxW/+fz9/OLxWR+fHh6KveaL99C
      nsvNeSqvGb8yMqjazRB3AJoFALC7IT5UAAAA
      """
    let six = """
      H4sIAAAAAAACAwFpAJb/H4sIAAAAAAACA5Pv5mAAASbmye+fJTAwqj07+X6+qoHBKlvrn3X7VjUe1Lp91+ry/Zvf5ddX35GwjPxW/+fz
      9/OLxWR+fHh6KveaL99CnsvNeSqvGb8yMqjazRB3AJoFALC7IT5UAAAAUTH7LWkAAAA=
      """
    let server = try LoopbackServer { request in
      let count = request.path == "/5" ? 5 : 6
      let body = Data(base64Encoded: count == 5 ? five : six, options: .ignoreUnknownCharacters) ?? Data()
      return .bytes(body)
        .header("Content-Encoding", Array(repeating: "gzip", count: count).joined(separator: ", "))
    }
    let transport = try CurlTransport()
    #expect(await transport.exchange(.init(url: "\(server.origin)/5")).body == text)
    let own = await transport.exchange(
      .init(url: "\(server.origin)/6", headers: ["Accept-Encoding": "gzip"]))
    #expect(own.error == nil)
    #expect(own.body == Data(base64Encoded: six, options: .ignoreUnknownCharacters))
    guard case .badServerResponse? = await transport.exchange(.init(url: "\(server.origin)/6")).error else {
      Issue.record("six codings were removed")
      return
    }
  }

  @Test("a compressed body that arrives byte by byte is decompressed")
  func pieces() async throws {
    let compressed = compressed
    let server = try LoopbackServer { _ in
      Framing.chunks.frame(compressed, 3).trickled(chunk: 1, every: .milliseconds(1))
    }
    #expect(await (try CurlTransport()).exchange(.init(url: server.origin)).body == text)
  }

  @Test("a part of a compressed body is delivered as it is to a caller that names no codings")
  func part() async throws {
    let compressed = compressed
    let server = try LoopbackServer { _ in
      .bytes(compressed.prefix(20), status: 206).header("Content-Encoding", "gzip")
        .header("Content-Range", "bytes 0-19/29")
    }
    let events = await (try CurlTransport()).exchange(
      .init(url: server.origin, headers: ["Range": "bytes=0-19"]))
    #expect(events.error == nil)
    #expect(events.status == 206)
    #expect(events.body == compressed.prefix(20))
  }

  @Test("a part of a compressed body is delivered as it is to a caller that names the codings it accepts")
  func ownPart() async throws {
    let compressed = compressed
    let server = try LoopbackServer { _ in
      .bytes(compressed.dropFirst(5), status: 206).header("Content-Encoding", "gzip")
        .header("Content-Range", "bytes 5-28/29")
    }
    let events = await (try CurlTransport()).exchange(
      .init(url: server.origin, headers: ["Range": "bytes=5-", "Accept-Encoding": "gzip"]))
    #expect(events.error == nil)
    #expect(events.body == compressed.dropFirst(5))
  }

  @Test("a body of several gzip members is decompressed whole, however it is split", arguments: 1...11)
  func members(size: Int) async throws {
    let members = compressed + compressed + compressed
    let count = compressed.count
    let server = try LoopbackServer { request in
      Framing.chunks.frame(request.path == "/early" ? members.dropLast() : members, size)
        .header("X-Count", "\(count)")
    }
    let transport = try CurlTransport()
    let events = await transport.exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.body == text + text + text)
    guard case .truncatedBody? = await transport.exchange(.init(url: "\(server.origin)/early")).error else {
      Issue.record("a member ends early")
      return
    }
  }

  @Test("bytes after a compressed body are an error, unless they are another gzip member")
  func surplus() async throws {
    let (compressed, deflated) = (compressed, deflated)
    let server = try LoopbackServer { request in
      switch request.path {
      case "/x": .bytes(compressed + Data("x".utf8)).header("Content-Encoding", "gzip")
      case "/no-member": .bytes(compressed + [0x1F, 0x8C]).header("Content-Encoding", "gzip")
      default: .bytes(deflated + deflated).header("Content-Encoding", "deflate")
      }
    }
    for path in ["/x", "/no-member", "/deflate"] {
      let events = await (try CurlTransport()).exchange(.init(url: server.origin + path))
      guard case .badServerResponse? = events.error else {
        Issue.record("\(path): \(String(describing: events.error))")
        continue
      }
    }
  }

  @Test(
    "a caller that names its codings receives a body of unknown coding as it is",
    arguments: Framing.allCases, ["aws-chunked", "gzip, utf-8"])
  private func unknown(framing: Framing, coding: String) async throws {
    let server = try LoopbackServer { _ in framing.frame(Data("body".utf8), 3, coding: coding) }
    let transport = try CurlTransport()
    let events = await transport.exchange(.init(url: server.origin, headers: ["accept-encoding": "*"]))
    #expect(events.error == nil)
    #expect(events.body == Data("body".utf8))
    #expect(events.head?.headers["Content-Encoding"] == coding)
    guard case .badServerResponse(let reason)? = await transport.exchange(.init(url: server.origin)).error
    else {
      Issue.record("a body of unknown coding was delivered to a caller that did not ask for it")
      return
    }
    #expect(reason.contains("Accept-Encoding"))
  }

  @Test("an unknown transfer coding is an error, whatever the caller accepts")
  func unknownTransferCoding() async throws {
    let server = try LoopbackServer { _ in
      .text("body").header("Content-Encoding", "utf-8").header("Transfer-Encoding", "utf-8").endedByClosing()
    }
    let events = await (try CurlTransport()).exchange(
      .init(url: server.origin, headers: ["Accept-Encoding": "*"]))
    #expect(events.error != nil)
  }

  @Test(
    "a request for a part of a body accepts no coding unless it says so", arguments: TransportKind.allCases)
  func partialRequest(kind: TransportKind) async throws {
    let server = try LoopbackServer { request in .text(request.headers["Accept-Encoding"] ?? "none") }
    let transport = try kind.make()
    let own = await transport.exchange(
      .init(url: server.origin, headers: ["Range": "bytes=0-", "Accept-Encoding": "gzip"]))
    #expect(own.body == Data("gzip".utf8))
    let standard = await transport.exchange(.init(url: server.origin, headers: ["range": "bytes=0-"]))
    #expect(standard.body == Data("identity".utf8))
  }

  @Test("a session with Alamofire's default fields offers what the transport can decode")
  func defaultFieldsOfSession() async throws {
    let server = try LoopbackServer { request in .text(request.headers["Accept-Encoding"] ?? "none") }
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    let session = Session(configuration: configuration)
    let offered = await (try CurlTransport()).exchange(.init(url: server.origin)).body
    #expect(await session.exchange(.init(url: server.origin)).body == offered)
    #expect(offered != Data(HTTPHeader.defaultAcceptEncoding.value.utf8))
    #expect(session.defaultHeaders["User-Agent"] == HTTPHeader.defaultUserAgent.value)
  }

  @Test("a session's default coding is not offered for a part of a body")
  func partialRequestOfSession() async throws {
    let server = try LoopbackServer { request in .text(request.headers["Accept-Encoding"] ?? "none") }
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = ["Accept-Encoding": "gzip"]
    let session = Session(configuration: configuration)
    #expect(await session.exchange(.init(url: server.origin)).body == Data("gzip".utf8))
    let part = await session.exchange(.init(url: server.origin, headers: ["Range": "bytes=0-"]))
    #expect(part.body == Data("identity".utf8))
  }

  @Test(
    "compressed bodies are checked over TLS too, with HTTP/1.1 and HTTP/2",
    arguments: [CurlConfiguration.VersionPolicy.automatic, .http1_1])
  func secure(version: CurlConfiguration.VersionPolicy) async throws {
    let compressed = compressed
    let large = [30, 100_000, 4 << 20].map { CompressedZeros.gzip.make(atLeast: $0) }
    var options = LoopbackServer.Options()
    options.http2 = .init()
    let server = try LoopbackServer(tls: .generated, options: options) { request in
      let count = Int(request.path.dropFirst()) ?? 0
      return switch count {
      case 0: .text("plain")
      case 29...: Framing.chunks.frame(large.first { $0.count == count }?.compressed ?? Data(), 1_000)
      default: Framing.length.frame(compressed.prefix(count), 0)
      }
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    configuration.httpVersion = version
    let transport = try CurlTransport(configuration: configuration)
    for count in [0, 25, 0, large[2].count, 21, large[0].count, large[1].count, 28, 0] {
      let (transfer, recorder) = transport.record(.init(url: server.origin + "/\(count)"))
      let paused = try #require(transfer as? any Transfer)
      await recorder.waitUntil { !$0.pieces.isEmpty || $0.isOver }
      paused.pause()
      paused.resume()
      let events = await recorder.waitForEnd()
      #expect(events.head?.httpVersion == (version == .automatic ? .http2 : .http1_1))
      switch count {
      case 0: #expect(events.body == Data("plain".utf8))
      case 29...:
        #expect(events.error == nil)
        #expect(events.head?.headers["Content-Encoding"] == "gzip")
        #expect(events.body == Data(count: count))
      default:
        guard case .truncatedBody? = events.error else {
          Issue.record("\(count): \(String(describing: events.error))")
          continue
        }
      }
    }
  }
}

/// Encodes without compressing (RFC 1950; RFC 1951, section 3.2.4).
private enum Deflate {
  static func store(_ bytes: Data) -> Data {
    var stream = Data([0x78, 0x01])
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      stream.append(contentsOf: [rest.isEmpty ? 1 : 0])
      for word in [count, ~count] { stream.append(contentsOf: [UInt8(word & 0xFF), UInt8(word >> 8)]) }
      stream.append(block)
    } while !rest.isEmpty
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    for word in [high, low] { stream.append(contentsOf: [UInt8(word >> 8), UInt8(word & 0xFF)]) }
    return stream
  }
}

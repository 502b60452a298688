import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Bodies compressed with zstd", .timeLimit(.minutes(5)))
struct ZstdBodyTests {
  /// Compressed bodies, and their decompressed contents.
  private static let bodies = [
    // With a checksum, without one, and without a window descriptor.
    ("KLUv/QRYbQAAMGhlbGxvIAEAL2kpAno+fCg=", hello), ("KLUv/QBYbQAAMGhlbGxvIAEAL2kpAg==", hello),
    ("KLUv/SB4bQAAMGhlbGxvIAEAL2kpAg==", hello),
    // Several blocks, one of which repeats a byte.
    (
      "KLUv/QRYVAAAEHh4AQD7/znAAgIAEHhlAAAgeGVuZAEA3BMdCAG5azMg",
      Data(repeating: UInt8(ascii: "x"), count: 300_000) + Data("end".utf8)
    ),
  ]
  /// One block that repeats a byte 300 times; the size of its content takes 2, 4 and 8 bytes.
  private static let repeated = [
    [0x60, 0x2C, 0], [0xA0, 0x2C, 1, 0, 0], [0xE0, 0x2C, 1, 0, 0, 0, 0, 0, 0],
  ].map { (head: [UInt8]) in
    let frame = [0x28, 0xB5, 0x2F, 0xFD] + head + [0x63, 0x09, 0, UInt8(ascii: "x")]
    return (Data(frame).base64EncodedString(), Data(repeating: UInt8(ascii: "x"), count: 300))
  }
  private static let hello = Data(String(repeating: "hello ", count: 20).utf8)
  /// A frame, a skippable one, and another one.
  private static let frames =
    "KLUv/QRYbQAAMGhlbGxvIAEAL2kpAno+fChQKk0YAwAAAGFiYyi1L/0AWG0AADBoZWxsbyABAC9pKQI="

  private func isOffered(by transport: CurlTransport) async throws -> Bool {
    let server = try LoopbackServer { .text($0.headers["Accept-Encoding"] ?? "") }
    return await transport.exchange(.init(url: server.origin)).body.range(of: Data("zstd".utf8)) != nil
  }

  private static func reply(_ body: Data, isChunked: Bool) -> LoopbackServer.Reply {
    let reply = LoopbackServer.Reply.bytes(body).header("Content-Encoding", "zstd")
    return isChunked ? reply.chunked(size: 5) : reply
  }

  @Test(
    "a body that ends early is an error, wherever it ends, and a complete one is not",
    arguments: bodies + repeated, [false, true])
  func early(body: (compressed: String, decompressed: Data), isChunked: Bool) async throws {
    let transport = try CurlTransport()
    guard try await isOffered(by: transport) else { return }
    let compressed = try #require(Data(base64Encoded: body.compressed))
    let server = try LoopbackServer { request in
      Self.reply(compressed.prefix(Int(request.path.dropFirst()) ?? 0), isChunked: isChunked)
    }
    for count in 1..<compressed.count {
      let events = await transport.exchange(.init(url: "\(server.origin)/\(count)"))
      guard case .truncatedBody? = events.error else {
        Issue.record("\(count) bytes: \(String(describing: events.error)), \(events.body.count) decompressed")
        continue
      }
    }
    let whole = await transport.exchange(.init(url: "\(server.origin)/\(compressed.count)"))
    #expect(whole.error == nil)
    let isExpected = whole.body == body.decompressed
    #expect(isExpected)
  }

  @Test("several frames are complete if the last one is")
  func several() async throws {
    let transport = try CurlTransport()
    guard try await isOffered(by: transport) else { return }
    let compressed = try #require(Data(base64Encoded: Self.frames))
    let server = try LoopbackServer { request in
      Self.reply(request.path == "/whole" ? compressed : compressed.dropLast(), isChunked: true)
    }
    #expect(await transport.exchange(.init(url: "\(server.origin)/whole")).error == nil)
    guard case .truncatedBody? = await transport.exchange(.init(url: server.origin)).error else {
      Issue.record("no error")
      return
    }
  }

  @Test(
    "frames that arrive in small pieces are decompressed, whatever their skippable ones are called",
    arguments: 1...4)
  func pieces(size: Int) async throws {
    let transport = try CurlTransport()
    guard try await isOffered(by: transport) else { return }
    let skippable = Data([0x5F, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 0x61, 0x62, 0x63])
    let frames = try #require(Data(base64Encoded: Self.frames))
    let body = skippable + frames
    let server = try LoopbackServer { _ in
      .bytes(body).header("Content-Encoding", "zstd").chunked(size: size)
    }
    let events = await transport.exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.body == Self.hello + Self.hello)
  }

  /// The frames of a format before RFC 8878, which would yield `hi`, and of a number that no format has.
  private static let foreign: [[UInt8]] = [
    [0x27, 0xB5, 0x2F, 0xFD, 0, 0, 0x40, 0, 2, 0x68, 0x69, 0xC0, 0, 0],
    [0x28, 0xB5, 0x2F, 0xFC, 0, 0, 0x40, 0, 2, 0x68, 0x69, 0xC0, 0, 0],
    [0x60, 0x2A, 0x4D, 0x18, 0, 0, 0, 0],
  ]

  @Test(
    "a frame of another format is an error, also after a frame of zstd", arguments: foreign, [false, true])
  func otherFormat(frame: [UInt8], isChunked: Bool) async throws {
    let transport = try CurlTransport()
    guard try await isOffered(by: transport) else { return }
    let compressed = try #require(Data(base64Encoded: Self.frames))
    let server = try LoopbackServer { request in
      Self.reply((request.path == "/later" ? compressed : Data()) + frame, isChunked: isChunked)
    }
    for path in ["/", "/later"] {
      let events = await transport.exchange(.init(url: server.origin + path))
      guard case .badServerResponse? = events.error else {
        Issue.record("\(path): \(String(describing: events.error)), \(Array(events.body))")
        continue
      }
    }
  }

  @Test("a body that needs a window of more than 8 MiB is an error", arguments: [(13, true), (14, false)])
  func window(exponent: UInt8, isTaken: Bool) async throws {
    let transport = try CurlTransport()
    guard try await isOffered(by: transport) else { return }
    // The window is 2 to the power of 10 plus the exponent; the only block holds one literal byte.
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, exponent << 3, 9, 0, 0, UInt8(ascii: "x")]
    let server = try LoopbackServer { _ in Self.reply(Data(frame), isChunked: false) }
    let events = await transport.exchange(.init(url: server.origin))
    #expect((events.error == nil) == isTaken)
    #expect(events.body == Data(isTaken ? "x".utf8 : "".utf8))
  }
}

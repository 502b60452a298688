import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("Compressed messages of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketCompressionTests {
  /// The frames that a server has received.
  private final class FrameLog: Sendable {
    let frames = Lock([LoopbackServer.WebSocket.Frame]())
    var all: [LoopbackServer.WebSocket.Frame] { frames.withLock { $0 } }
  }

  private func open(
    _ server: LoopbackServer, options: WebSocketOptions = WebSocketOptions()
  ) async throws -> WebSocket {
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    return try await provider.webSocket(LoopbackTarget(server), options: options)
  }

  /// A server that accepts compression, and then sends bytes as they are.
  private func server(
    accepting parameters: String = "permessage-deflate", sending bytes: [UInt8]
  ) throws -> LoopbackServer {
    try LoopbackServer { _ in
      .webSocket { socket in
        socket.sendRaw(bytes)
        socket.close(code: 1000)
        while socket.receive() != nil {}
      }.header("Sec-WebSocket-Extensions", parameters)
    }
  }

  /// A server that sends each frame back with its payload as it came.
  private func mirror(
    accepting parameters: String, frames: FrameLog
  ) throws -> LoopbackServer {
    try LoopbackServer { _ in
      .webSocket { socket in
        while socket.receive() != nil, let frame = socket.frames.last {
          let count = frame.payload.count
          let length =
            count < 126
            ? [UInt8(count)]
            : count < 65_536
              ? [126, UInt8(count >> 8), UInt8(count & 0xFF)]
              : [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
          socket.sendRaw([0x80 | (frame.isCompressed ? 0x40 : 0) | frame.opcode] + length + frame.payload)
        }
        frames.frames.withLock { $0 = socket.frames }
      }.header("Sec-WebSocket-Extensions", parameters)
    }
  }

  private func failure(_ action: () async throws -> Void) async -> NetworkError? {
    do {
      try await action()
      return nil
    } catch {
      return error as? NetworkError
    }
  }

  @Test(
    "the examples of RFC 7692, section 7.2.3, are read",
    arguments: [
      [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
      [0x41, 3, 0xF2, 0x48, 0xCD, 0x80, 4, 0xC9, 0xC9, 0x07, 0x00],
      [0xC1, 11, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
      [0xC1, 8, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
      [0xC1, 13, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
    ] as [[UInt8]])
  func examples(frames: [UInt8]) async throws {
    // The second message refers to the first one, and the third is not compressed.
    let again: [UInt8] = [0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00]
    let keepsContext = frames[1] == 7
    let bytes = frames + (keepsContext ? again : []) + [0x81, 2, 0x48, 0x69]
    let server = try server(sending: bytes)
    var messages: [WebSocketMessage] = []
    for try await message in try await open(server) { messages.append(message) }
    #expect(messages == [.text("Hello")] + (keepsContext ? [.text("Hello")] : []) + [.text("Hi")])
    let offer = try #require(server.log.requests.first?.headers["Sec-WebSocket-Extensions"])
    #expect(offer == "permessage-deflate; client_max_window_bits")
  }

  @Test(
    "long messages are compressed, and refer to earlier ones if the server allows that",
    arguments: [
      ("permessage-deflate", true), ("permessage-deflate; client_no_context_takeover", false),
      (#"permessage-deflate; server_max_window_bits="10"; client_max_window_bits=9"#, true),
    ])
  func compresses(parameters: String, keepsContext: Bool) async throws {
    let frames = FrameLog()
    let server = try mirror(accepting: parameters, frames: frames)
    let socket = try await open(server)
    var iterator = socket.makeAsyncIterator()
    let text = (0..<60).map { "\($0 * $0 % 97)," }.joined()
    let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 100) })
    let messages: [WebSocketMessage] = [.text(text), .text(text), .text("short"), .binary(large), .text("")]
    for message in messages {
      try await socket.send(message)
      let isEqual = try await iterator.next() == message
      #expect(isEqual)
    }
    socket.close()
    #expect(try await iterator.next() == nil)
    try await server.log { $0.openConnections == 0 }
    let sent = frames.all.dropLast()
    #expect(sent.map(\.isCompressed) == [true, true, false, true, false])
    #expect(sent[0].payload.count < text.utf8.count)
    #expect((sent[1].payload.count < sent[0].payload.count) == keepsContext)
    #expect(sent[3].payload.count < 20_000)
  }

  @Test("a window that zlib cannot write with sends messages as they are")
  func smallestWindow() async throws {
    let frames = FrameLog()
    let server = try mirror(accepting: "permessage-deflate; client_max_window_bits=8", frames: frames)
    let socket = try await open(server)
    var iterator = socket.makeAsyncIterator()
    let text = String(repeating: "again ", count: 100)
    try await socket.send(.text(text))
    #expect(try await iterator.next() == .text(text))
    socket.close()
    #expect(try await iterator.next() == nil)
    try await server.log { $0.openConnections == 0 }
    #expect(frames.all.first?.isCompressed == false)
  }

  @Test(
    "a server that accepts what was not offered fails the handshake",
    arguments: [
      "permessage-deflate; server_max_window_bits=16", "permessage-deflate; client_max_window_bits=7",
      "permessage-deflate; client_max_window_bits=015", "permessage-deflate; server_max_window_bits",
      "permessage-deflate; unknown", "permessage-deflate; server_no_context_takeover=1",
      "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
      "permessage-deflate, permessage-deflate", "x-webkit-deflate-frame", "permessage-deflate;",
    ])
  func parameters(accepted: String) async throws {
    let server = try server(accepting: accepted, sending: [])
    let error = await failure { _ = try await open(server) }
    guard case .underlying(WebSocketError.invalidHandshake, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("compression that is switched off is not offered, and must not be accepted")
  func off() async throws {
    let server = try server(sending: [])
    let error = await failure { _ = try await open(server, options: .init(offersCompression: false)) }
    guard case .underlying(WebSocketError.invalidHandshake, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.log.requests.first?.headers["Sec-WebSocket-Extensions"] == nil)
  }

  @Test("a small message that decompresses to a large one is too long")
  func bomb() async throws {
    let frames = FrameLog()
    let server = try mirror(accepting: "permessage-deflate", frames: frames)
    let socket = try await open(server, options: .init(messageLimit: 100_000))
    var iterator = socket.makeAsyncIterator()
    try await socket.send(.binary(Data(count: 100_000)))
    #expect(try await iterator.next()?.byteCount == 100_000)
    try await socket.send(.binary(Data(count: 100_001)))
    let error = await failure { _ = try await iterator.next() }
    guard case .underlying(WebSocketError.messageTooLong(limit: 100_000), _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("of many large messages in few bytes, none is lost")
  func manyInOnePiece() async throws {
    let frames = FrameLog()
    let source = try mirror(accepting: "permessage-deflate; client_no_context_takeover", frames: frames)
    let size = 200_000
    let socket = try await open(source)
    try await socket.send(.binary(Data(count: size)))
    socket.close()
    for try await _ in socket {}
    try await source.log { $0.openConnections == 0 }
    let payload = try #require(frames.all.first?.payload)
    #expect((126..<2_000).contains(payload.count))
    let frame = [0xC2, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    let server = try server(
      accepting: "permessage-deflate; server_no_context_takeover",
      sending: (0..<100).flatMap { [0x81, 1, 0x30 + UInt8($0 % 10)] + frame })
    var (count, texts) = (0, "")
    for try await message in try await open(server) {
      if case .text(let text) = message { texts += text } else { count += message.byteCount == size ? 1 : 0 }
    }
    #expect(count == 100)
    #expect(texts == String(repeating: "0123456789", count: 10))
  }

  @Test(
    "invalid compression fails with its code",
    arguments: [
      ([0xC1, 2, 0xFF, 0xFF], 1007), ([0xC1, 3, 0xF2, 0x48, 0xCD], 1007),
      // Bad UTF-8 after decompression, RSV1 in a continuation and in a control frame, RSV2.
      ([0xC1, 8, 0x00, 0x02, 0x00, 0xFD, 0xFF, 0xC3, 0x28, 0x00], 1007),
      ([0x01, 1, 65, 0xC0, 1, 65], 1002), ([0xC9, 0], 1002), ([0xA1, 1, 65], 1002),
    ] as [([UInt8], UInt16)])
  func violations(bytes: [UInt8], code: UInt16) async throws {
    let server = try server(sending: bytes)
    let socket = try await open(server)
    let error = await failure { for try await _ in socket {} }
    guard case .underlying(WebSocketError.protocolViolation(let found, _), _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found.rawValue == code)
  }

  @Test("later messages do not refer to one that did not fit into the queue")
  func fullQueue() async throws {
    let gate = DispatchSemaphore(value: 0)
    let last = Lock(nil as LoopbackServer.WebSocket.Frame?)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        gate.wait()
        while socket.receive() != nil { last.withLock { $0 = socket.frames.last } }
      }.header("Sec-WebSocket-Extensions", "permessage-deflate")
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    let (opened, opening) = AsyncStream.makeStream(of: WebSocketConnection.self)
    let (ended, ending) = AsyncStream.makeStream(of: Void.self)
    provider.webSocket(LoopbackTarget(server), options: .init(sendQueueLimit: 1 << 20)) { event in
      if case .opened(let connection, _) = event { opening.yield(connection) }
      if case .finished = event { ending.finish() }
    }
    let connection = try #require(await opened.first { _ in true })
    func noise(_ count: Int) -> WebSocketMessage {
      .binary((0..<count / 8).map { _ in UInt64.random(in: 0 ... .max) }.withUnsafeBytes { Data($0) })
    }
    // More than fits into the buffers of the system and the queue; then pieces that fit into what remains.
    let large = noise(1 << 18)
    let messages = Array(repeating: large, count: 200) + (0..<200).map { _ in noise(10_000) }
    let (results, result) = AsyncStream.makeStream(of: WebSocketError?.self)
    for message in messages { connection.send(message) { result.yield($0) } }
    gate.signal()
    var refused = 0
    for await error in results.prefix(messages.count) where error == .sendQueueFull(limit: 1 << 20) {
      refused += 1
    }
    #expect(refused > 100)
    connection.send(messages[messages.count - 1])
    connection.close()
    for await _ in ended {}
    try await server.log { $0.openConnections == 0 }
    let frame = try #require(last.withLock { $0 })
    #expect(frame.isCompressed)
    #expect(frame.payload.count > 9_000)
  }
}

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Processes

/// NIO's WebSocket with a channel handler, which is its fastest way, on one event loop.
final class NIOClient: Client {
  private static let largestFrame = 1 << 26

  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let port: Int
  private var held: [any Channel] = []

  init(port: Int) {
    self.port = port
  }

  func echo(_ load: EchoLoad) throws -> Int {
    try runBlocking { [self] in
      let done = group.next().makePromise(of: Int.self)
      let end = seconds() + load.seconds
      let payload = ByteBuffer(bytes: load.payload)
      let channel = try await connect(load.path) { EchoHandler(payload, end: end, done: done) }
      for _ in 0..<load.inFlight { channel.write(frame(payload), promise: nil) }
      channel.flush()
      return try await done.futureResult.get()
    }
  }

  func hold(_ count: Int) throws {
    held = try runBlocking { [self] in
      var channels: [any Channel] = []
      while channels.count < count {
        try await withThrowingTaskGroup(of: (any Channel).self) { group in
          for _ in 0..<min(openingAtOnce, count - channels.count) {
            group.addTask { [self] in try await connect("/echo") { PingHandler() } }
          }
          for try await channel in group { channels.append(channel) }
        }
      }
      return channels
    }
  }

  func open(sending size: Int) throws -> () -> Void {
    let channel = try runBlocking { [self] in
      try await connect(size > 0 ? "/sink" : "/echo") { PingHandler() }
    }
    guard size == 0 else {
      channel.writeAndFlush(frame(ByteBuffer(repeating: 0, count: size)), promise: nil)
      return { channel.close(promise: nil) }
    }
    return {
      let code = ByteBuffer(integer: UInt16(1001))
      let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: code)
      channel.writeAndFlush(frame, promise: nil)
    }
  }

  private func connect(
    _ path: String, handler: @escaping @Sendable () -> any ChannelHandler
  ) async throws -> any Channel {
    let upgraded = try await ClientBootstrap(group: group)
      .channelOption(ChannelOptions.socketOption(.init(rawValue: TCP_NODELAY)), value: 1)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          let upgrader = NIOTypedWebSocketClientUpgrader<any Channel>(
            maxFrameSize: Self.largestFrame,
            upgradePipelineHandler: { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(handler())
                return channel
              }
            })
          let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: path, headers: ["Host": "localhost"])
          let configuration = NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: head, upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
              channel.eventLoop.makeFailedFuture(ClientError.connection("not upgraded"))
            })
          return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
        }
      }
    return try await upgraded.get()
  }
}

private func frame(_ payload: ByteBuffer, _ opcode: WebSocketOpcode = .binary) -> WebSocketFrame {
  WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: payload)
}

/// Sends a message for each that arrives; closes the channel when the time is up.
private final class EchoHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let payload: ByteBuffer
  private let end: Double
  private let done: EventLoopPromise<Int>
  private var count = 0

  init(_ payload: ByteBuffer, end: Double, done: EventLoopPromise<Int>) {
    self.payload = payload
    self.end = end
    self.done = done
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard seconds() < end else { return context.close(promise: nil) }
    count += 1
    context.write(wrapOutboundOut(frame(payload)), promise: nil)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.flush()
  }

  func channelInactive(context: ChannelHandlerContext) {
    done.succeed(count)
  }
}

/// Sends a ping every 30 seconds, as the library does by default.
private final class PingHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  private var pings: RepeatedTask?

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    pings = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(30), delay: .seconds(30)) { _ in
      channel.writeAndFlush(frame(ByteBuffer(), .ping), promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    pings?.cancel()
  }
}

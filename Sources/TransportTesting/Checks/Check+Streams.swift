internal import Foundation
internal import LoopbackServer
internal import NetworkCoreTransport
internal import ReactiveNetworkLock

extension TransportContract.Check {
  static let streams: [Self] = [
    Self(.streams, "a file is sent byte for byte") { run in
      run.server.route("/a") { _ in .status(200) }
      let file = TemporaryFile()
      try megabyte.write(to: file.url)
      let request = TransportRequest(method: .put, url: "\(run.origin)/a", body: .file(file.url))
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] }
      run.expect(run.server.log.requests.last?.body == megabyte, "other bytes arrived")
    },
    Self(.streams, "a file that does not exist ends the transfer, and nothing is sent") { run in
      let request = TransportRequest(method: .put, url: "\(run.origin)/ok", body: .file(TemporaryFile().url))
      let events = try await run.exchange(request, over: run.transport())
      if case .cannotReadFile? = events.error {} else { run.note(events.summary) }
      run.expect(run.server.log.requestCount == 0, "a request was sent")
    },
    sent(
      "a stream of a known length is sent with its length", length: 1_048_576, "Content-Length", "1048576"),
    sent("a stream of unknown length is sent in chunks", length: nil, "Transfer-Encoding", "chunked"),
    Self(.streams, "a stream that has no bytes yet is awaited") { run in
      run.server.route("/a") { .text($0.text) }
      let wakeUp = Lock<(@Sendable () -> Void)?>(nil)
      let source = StreamSource([Data("early ".utf8), nil, Data("late".utf8)])
      let stream = BodyStream { onBytesAvailable in
        wakeUp.withLock { $0 = onBytesAvailable }
        return source
      }
      let request = TransportRequest(method: .post, url: "\(run.origin)/a", body: .stream(stream))
      let transfer = run.start(request, over: try run.transport())
      try await run.poll("the pause of the stream") { source.hasWaited }
      wakeUp.withLock { $0 }?()
      let events = try await run.end(of: transfer)
      run.expect(events.ends == [nil] && events.text == "early late", "\(events.summary): \(events.text)")
    },
    Self(.streams, "a stream that fails ends the transfer, and the server gets no whole request") { run in
      run.server.route("/a") { _ in .status(200) }
      let stream = BodyStream(length: 100) { _ in StreamSource([Data("part".utf8)], fails: true) }
      let request = TransportRequest(method: .post, url: "\(run.origin)/a", body: .stream(stream))
      let events = try await run.exchange(request, over: run.transport())
      if case .cannotReadBody? = events.error {} else { run.note(events.summary) }
      run.expect(run.server.log.requestCount == 0, "the server got a whole request")
    },
    wrongLength("a stream that is shorter than announced ends with .wrongBodyLength", announced: 100),
    wrongLength("a stream that is longer than announced ends with .wrongBodyLength", announced: 2),
    Self(.streams, "the server sees a cancel while it receives the body") { run in
      run.server.route("/a") { _ in .status(200) }
      let source = StreamSource([Data("part".utf8), nil])
      let stream = BodyStream(length: 100) { _ in source }
      let request = TransportRequest(method: .post, url: "\(run.origin)/a", body: .stream(stream))
      let transfer = run.start(request, over: try run.transport())
      try await run.poll("the pause of the stream") { source.hasWaited }
      try await run.log("the first bytes") { $0.bytesReceived > 0 }
      transfer.cancel()
      try await run.end(of: transfer) { $0.error == .cancelled }
      try await run.log("the cancel") { $0.openConnections == 0 }
    },
    Self(.streams, "a reader is released at the end") { run in
      run.server.route("/a") { _ in .status(200) }
      let count = Lock(0)
      let stream = BodyStream { _ in
        count.withLock { $0 += 1 }
        return StreamSource([Data("part".utf8)]) { count.withLock { $0 -= 1 } }
      }
      let request = TransportRequest(method: .post, url: "\(run.origin)/a", body: .stream(stream))
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] }
      try await run.poll("the release of the reader") { count.withLock { $0 } == 0 }
    },
  ]

  private static func sent(_ name: String, length: Int64?, _ field: String, _ value: String) -> Self {
    Self(.streams, name) { run in
      run.server.route("/a") { _ in .status(200) }
      let stream = BodyStream(length: length) { _ in StreamSource([megabyte]) }
      let request = TransportRequest(method: .put, url: "\(run.origin)/a", body: .stream(stream))
      try await run.exchange(request, over: run.transport()) { $0.ends == [nil] }
      let seen = run.server.log.requests.last
      run.expect(seen?.body == megabyte, "other bytes arrived")
      run.expect(seen?.headers[field] == value, "\(field) is \(seen?.headers[field] ?? "missing")")
    }
  }

  private static func wrongLength(_ name: String, announced: Int64) -> Self {
    Self(.streams, name) { run in
      run.server.route("/a") { _ in .status(200) }
      let stream = BodyStream(length: announced) { _ in StreamSource([Data("part".utf8)]) }
      let request = TransportRequest(method: .post, url: "\(run.origin)/a", body: .stream(stream))
      let events = try await run.exchange(request, over: run.transport())
      if case .wrongBodyLength? = events.error {} else { run.note(events.summary) }
      run.expect(run.server.log.requestCount == 0, "the server got a whole request")
    }
  }
}

/// A file that is removed at the end.
private final class TemporaryFile: Sendable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("TransportTesting-\(UUID())")

  deinit {
    // If it cannot be removed, the system removes it eventually.
    _ = try? FileManager.default.removeItem(at: url)
  }
}

/// Reads pieces in order; `nil` makes the transport wait once.
private final class StreamSource: BodyReader, Sendable {
  struct ReadError: Error {}

  private struct State {
    var pieces: [Data?]
    var hasWaited = false
  }

  private let state: Lock<State>
  private let fails: Bool
  private let onRelease: @Sendable () -> Void

  init(_ pieces: [Data?], fails: Bool = false, onRelease: @escaping @Sendable () -> Void = {}) {
    state = Lock(State(pieces: pieces))
    self.fails = fails
    self.onRelease = onRelease
  }

  deinit { onRelease() }

  var hasWaited: Bool { state.withLock { $0.hasWaited } }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    try state.withLock { state in
      guard let first = state.pieces.first else {
        if fails { throw ReadError() }
        return 0
      }
      guard let piece = first else {
        state.pieces.removeFirst()
        state.hasWaited = true
        return nil
      }
      let count = min(buffer.count, piece.count)
      piece.copyBytes(to: buffer, count: count)
      if count == piece.count { state.pieces.removeFirst() } else { state.pieces[0] = piece.dropFirst(count) }
      return count
    }
  }
}

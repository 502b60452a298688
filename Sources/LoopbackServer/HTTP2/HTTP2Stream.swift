import struct Foundation.Data

/// A stream of an HTTP/2 connection: a request, and the response to it.
final class HTTP2Stream {
  let id: Int32
  var request: LoopbackServer.Request?
  var exchange: Connection.Exchange?
  /// The bytes of the body that the client's window has not let through yet, after `outputStart`.
  var output: [UInt8] = []
  private var outputStart = 0
  var hasSentHead = false
  var isPaused = false
  /// The number under which the session keeps the stream while it waits.
  var pauseNumber: Int?
  var gateWait: (gate: LoopbackServer.Gate, token: Int)?
  /// How the response ends, if the reply has no further bytes.
  var end: ReplyWriter.End?
  /// Whether the server itself has ended the stream with an error code.
  var isReset = false
  /// Whether the request was too large.
  var isRejected = false
  /// The number of bytes of the head.
  private(set) var headBytes = 0

  private var method = ""
  private var target = ""
  private var lines: [UInt8] = []
  private var hasHost = false

  init(id: Int32) {
    self.id = id
  }

  /// Adds a field of the head (RFC 9113, section 8.3); those of trailers come later and are dropped, and so are
  /// those beyond the limit.
  func add(_ name: String, _ value: String, limit: Int) {
    guard request == nil else { return }
    headBytes += name.utf8.count + value.utf8.count
    guard headBytes <= limit else { return }
    switch name {
    case ":method": method = value
    case ":path": target = value
    case ":authority":
      hasHost = true
      addLine("Host", value)
    case "host": if !hasHost { addLine(name, value) }
    case _ where name.hasPrefix(":"): break
    default: addLine(name, value)
    }
  }

  private func addLine(_ name: String, _ value: String) {
    lines += "\(name): \(value)\n".utf8
  }

  func endHead(connection: Int, index: Int, handshake: LoopbackServer.Request.Handshake?) {
    guard request == nil else { return }
    var request = LoopbackServer.Request(
      method: method, target: target, headers: .init(lines: lines), connection: connection,
      indexOnConnection: index)
    request.stream = Int(id)
    request.handshake = handshake
    self.request = request
  }

  var hasOutput: Bool { outputStart < output.count }

  /// Moves as many bytes of the output as fit, and returns their number.
  func takeOutput(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let count = min(buffer.count, output.count - outputStart)
    output.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: $0[outputStart..<outputStart + count]))
    }
    outputStart += count
    if !hasOutput {
      output.removeAll(keepingCapacity: true)
      outputStart = 0
    }
    exchange?.bytesSent += count
    return count
  }

  func append(_ bytes: UnsafeBufferPointer<UInt8>, kept: Int) {
    request?.bodyLength += bytes.count
    let room = max(0, kept - (request?.body.count ?? 0))
    request?.body.append(contentsOf: bytes.prefix(room))
  }
}

// Property: however the frames of a WebSocket are split, the client and LoopbackServer each read from them
// what a plain reader of the whole (`PlainFrames`) finds, and each reads what the other writes, although they
// share no code; and a recording has the bytes of each frame.
import Foundation
@testable import LoopbackServer
@testable import NetworkCore
@testable import NetworkCoreTransport

@Sendable func testFrames(_ input: FuzzInput) throws {
  var input = input
  let (choice, seed) = (input.byte(), input.byte())
  let split = pieces(of: input.bytes, seed: seed)

  let isCompressing = choice & 1 == 1
  let limit = choice & 2 == 0 ? 1_000 : 20
  let whole = clientEvents([input.rest], isCompressing, limit: limit)
  let found = clientEvents(split, isCompressing, limit: limit)
  try requireEqual(found.events, whole.events, "the client's events in pieces and as a whole")
  try requireEqual(found.isFailed, whole.isFailed, "the client's failure")

  if !isCompressing {
    let expected = PlainFrames(input.bytes, limit: limit)
    try requireEqual(whole.events, expected.events, "the client's events")
    try requireEqual(whole.isFailed, expected.isFailed, "the client's failure as expected")
  }

  try requireEqual(serverEvents(split), serverEvents([input.rest]), "the server's frames")
  try requireEqual(serverEvents(split), PlainFrames.ofClient(input.bytes), "the server's frames as expected")
  try checkRecording(split, input.bytes)

  var validator = UTF8Validator()
  let isValid = split.allSatisfy { piece in Array(piece).withUnsafeBytes { validator.check($0) } }
  let isText = String(validating: input.rest, as: UTF8.self) != nil
  try requireEqual(isValid && validator.isComplete, isText, "UTF-8")
  try checkRoundTrips(input, isText: isText, isCompressing: isCompressing)
}

private func clientEvents(
  _ pieces: [ArraySlice<UInt8>], _ isCompressing: Bool, limit: Int = 1_000
) -> (events: [WebSocketFrameDecoder.Event], isFailed: Bool) {
  var decoder = WebSocketFrameDecoder(limit: limit)
  if isCompressing { decoder.compression = PerMessageDeflate(accepted: "permessage-deflate") }
  var events: [WebSocketFrameDecoder.Event] = []
  do {
    for piece in pieces {
      try decoder.decode(Data(piece), into: &events)
      while !decoder.unread.isEmpty { try decoder.decode(decoder.unread, into: &events) }
    }
  } catch {
    return (events, true)
  }
  return (events, false)
}

private func serverEvents(_ pieces: [ArraySlice<UInt8>]) -> [WebSocketFrameParser.Event] {
  var parser = WebSocketFrameParser()
  var events: [WebSocketFrameParser.Event] = []
  for piece in pieces {
    parser.append(piece)
    while true {
      let event = parser.next()
      if event == .needsMore { break }
      events.append(event)
      if event == .invalidLength { return events }
    }
  }
  return events
}

private func checkRecording(_ pieces: [ArraySlice<UInt8>], _ bytes: [UInt8]) throws {
  var splitter = WebSocketFrameSplitter(keepsMessages: true)
  var frames: [WebSocketFrameSplitter.Frame] = []
  for piece in pieces {
    Array(piece).withUnsafeBytes { splitter.split($0) { frames.append($0) } }
  }
  let joined = frames.reduce(into: Data()) { $0 += $1.bytes } + splitter.incomplete.bytes
  try requireEqual(joined, Data(bytes), "the bytes of the frames")
  let expected = PlainFrames.ofClient(bytes)
  for (index, frame) in frames.enumerated() {
    if index < expected.count, case .frame(let read) = expected[index] {
      try requireEqual(Array(frame.unmaskedPayload), read.payload, "the payload of a frame")
    }
    guard let recorded = RecordedWebSocket.Frame(frame, after: 0, afterClose: false) else {
      try requireEqual(frame.head[0], 0x8A, "the first byte of a frame that is not recorded")
      continue
    }
    try requireEqual(recorded.bytes, frame.bytes, "the recorded frame")
  }
  // The first invalid length ends what the server reads.
  let complete = expected.count { $0 != .invalidLength }
  try requireEqual(frames.count, complete, "the number of frames")
}

/// A close frame has the code, and as much of the reason as fits.
private func checkClosing(_ reason: String, isFromServer: Bool) throws {
  let frame = WebSocketFrame.close(.normalClosure, reason: reason, isMasked: !isFromServer)
  guard case .frame(let read)? = serverEvents([frame[...]]).first else {
    throw Violation(description: "the close frame is not read")
  }
  let text = read.payload.dropFirst(2)
  try requireEqual(Array(read.payload.prefix(2)), [0x03, 0xE8], "the code")
  try require(read.opcode == 8 && read.isFinal && read.isMasked == !isFromServer, "\(read)")
  try require(reason.utf8.starts(with: text) && String(validating: text, as: UTF8.self) != nil, reason)
  try require(text.count <= 123 && (reason.utf8.count > 123 || text.count == reason.utf8.count), reason)
}

private func checkRoundTrips(_ input: FuzzInput, isText: Bool, isCompressing: Bool) throws {
  let message: WebSocketMessage = isText ? .text(input.text) : .binary(Data(input.rest))
  var none: MessageDeflater?
  let written = WebSocketFrame.message(message, deflater: &none)
  let expected = LoopbackServer.WebSocket.Frame(
    opcode: isText ? 1 : 2, isFinal: true, isCompressed: false, isMasked: true, payload: input.bytes)
  try requireEqual(serverEvents([written[...]]), [.frame(expected)], "the client's message")
  try requireEqual(WebSocketFrame.unmasked(written).payload, input.bytes, "the payload")
  for isFromServer in [false, true] { try checkClosing(input.text, isFromServer: isFromServer) }

  guard input.rest.count <= 1_000 else { return }
  let reply = FrameBytes(opcode: isText ? 1 : 2, payload: input.bytes).all
  try requireEqual(clientEvents([reply[...]], false).events, [.message(message)], "the server's message")

  // Two messages, so that the second one refers to the first.
  guard isCompressing, let parameters = PerMessageDeflate(accepted: "permessage-deflate") else { return }
  var deflater: MessageDeflater? = MessageDeflater(parameters)
  var frames: [UInt8] = []
  for _ in 0..<2 {
    let frame = WebSocketFrame.message(message, deflater: &deflater)
    let payload = WebSocketFrame.unmasked(frame).payload
    var unmasked = FrameBytes(opcode: isText ? 1 : 2, payload: payload).all
    unmasked[0] |= frame[0] & 0x40
    frames += unmasked
  }
  try requireEqual(
    clientEvents([frames[...]], true).events, [.message(message), .message(message)], "compressed messages")
}

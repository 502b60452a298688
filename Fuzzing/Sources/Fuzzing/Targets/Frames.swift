// Property: however the frames of a WebSocket are split, the client and LoopbackServer each read the same from them,
// and each reads what the other writes, although they share no code.
import Foundation
@testable import LoopbackServer
@testable import NetworkCore

@Sendable func testFrames(_ input: FuzzInput) throws {
  var input = input
  let (choice, seed) = (input.byte(), input.byte())
  let split = pieces(of: input.bytes, seed: seed)

  let isCompressing = choice & 1 == 1
  let whole = clientEvents([input.rest], isCompressing)
  let found = clientEvents(split, isCompressing)
  try requireEqual(found.events, whole.events, "the client's events in pieces and as a whole")
  try requireEqual(found.isFailed, whole.isFailed, "the client's failure")

  try requireEqual(serverEvents(split), serverEvents([input.rest]), "the server's frames")

  var validator = UTF8Validator()
  let isValid = split.allSatisfy { piece in Array(piece).withUnsafeBytes { validator.check($0) } }
  let isText = String(validating: input.rest, as: UTF8.self) != nil
  try requireEqual(isValid && validator.isComplete, isText, "UTF-8")
  try checkRoundTrips(input, isText: isText, isCompressing: isCompressing)
}

private func clientEvents(
  _ pieces: [ArraySlice<UInt8>], _ isCompressing: Bool
) -> (events: [WebSocketFrameDecoder.Event], isFailed: Bool) {
  var decoder = WebSocketFrameDecoder(limit: 1_000)
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

private func checkRoundTrips(_ input: FuzzInput, isText: Bool, isCompressing: Bool) throws {
  let message: WebSocketMessage = isText ? .text(input.text) : .binary(Data(input.rest))
  var none: MessageDeflater?
  let written = WebSocketFrame.message(message, deflater: &none)
  let expected = LoopbackServer.WebSocket.Frame(
    opcode: isText ? 1 : 2, isFinal: true, isCompressed: false, isMasked: true, payload: input.bytes)
  try requireEqual(serverEvents([written[...]]), [.frame(expected)], "the client's message")
  try requireEqual(WebSocketFrame.unmasked(written).payload, input.bytes, "the payload")

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

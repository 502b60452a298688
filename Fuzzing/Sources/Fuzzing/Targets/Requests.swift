// Property: however the bytes of a connection are split, the server reads the same requests, and reads each of them
// again after it has been written in the plainest form.
@testable import LoopbackServer

@Sendable func testRequests(_ input: FuzzInput) throws {
  var input = input
  let seed = input.byte()
  let whole = events(of: [input.rest])
  try requireEqual(events(of: pieces(of: input.bytes, seed: seed)), whole, "in pieces and as a whole")
  for case .request(let request) in whole {
    let framing = ["content-length", "transfer-encoding", "expect", "host"]
    var written = Array("\(request.method) \(request.target) HTTP/1.1\r\nHost: h\r\n".utf8)
    for field in request.headers where !framing.contains(field.name.lowercased()) {
      written += "\(field.name): \(field.value)\r\n".utf8
    }
    written += "Content-Length: \(request.body.count)\r\n\r\n".utf8 + request.body
    guard case .request(let again)? = events(of: [written[...]]).first else {
      // The additional fields may exceed the limit.
      try require(written.count > options.headLimit, "\(request) is not read again")
      return
    }
    try requireEqual(again.method, request.method, "method")
    try requireEqual(again.target, request.target, "target")
    try requireEqual(again.body, request.body, "body")
    _ = (request.path, request.query, request.form, request.pathSegments)
  }
}

private let options = {
  var options = LoopbackServer.Options()
  options.headLimit = 500
  options.bodyLimit = 300
  return options
}()

private func events(of pieces: [ArraySlice<UInt8>]) -> [RequestParser.Event] {
  var parser = RequestParser(connection: 1, options: options)
  var events: [RequestParser.Event] = []
  for piece in pieces {
    piece.withUnsafeBytes { parser.append($0) }
    while true {
      let event = parser.next()
      if case .needsMore = event { break }
      // The server asks for a body only if it has not begun to arrive.
      if case .continueExpected = event { continue }
      events.append(event)
      // The server closes the connection.
      if case .rejected = event { return events }
    }
  }
  return events
}

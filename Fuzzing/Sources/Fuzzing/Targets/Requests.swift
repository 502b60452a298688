// Property: however the bytes of a connection are split, the server reads the same requests, and reads each
// of them again after it has been written in the plainest form; it reads from requests in several forms the
// parts that were written, up to its limits; and it refuses those that the RFC forbids.
@testable import LoopbackServer

@Sendable func testRequests(_ input: FuzzInput) throws {
  var input = input
  let seed = input.byte()
  let whole = events(of: [input.rest])
  try requireEqual(events(of: pieces(of: input.bytes, seed: seed)), whole, "in pieces and as a whole")
  try checkKnown(input.bytes, seed)
  try checkRefusals(seed)
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
    try requireEqual(
      texts(again.headers, without: framing), texts(request.headers, without: framing), "header fields")
    _ = (request.path, request.query, request.form, request.pathSegments)
  }
}

private func texts(_ headers: LoopbackServer.Headers, without names: [String]) -> [String] {
  headers.filter { !names.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
}

/// Reads three requests, each in another form, that follow each other.
private func checkKnown(_ bytes: [UInt8], _ seed: UInt8) throws {
  let body = Array(bytes.prefix(options.bodyLimit))
  let word = String(decoding: bytes.filter { (0x21...0x7E).contains($0) }.prefix(40), as: UTF8.self)
  var wire = Array(
    "\r\nPOST /\(word) HTTP/1.1\r\nHost: h\r\nX-A:\t \(word) \r\nx-a:b\r\nTransfer-Encoding: CHUNKED\r\n\r\n"
      .utf8)
  for (index, piece) in pieces(of: body, seed: seed).filter({ !$0.isEmpty }).enumerated() {
    let size = String(piece.count, radix: 16, uppercase: index % 2 == 0)
    wire += "\(index % 3 == 0 ? "0" : "")\(size)\(index % 2 == 0 ? "" : " ;x=\"y\"")\r\n".utf8
    wire += piece + Array("\r\n".utf8)
  }
  wire +=
    "0\r\nT: x\r\n\r\nGET http://h/?q HTTP/1.0\n\nPUT * HTTP/1.1\nHOST:h\nContent-length: 0\(body.count)\n\n"
    .utf8
  wire += body
  var requests: [LoopbackServer.Request] = []
  for case .request(let request) in events(of: pieces(of: wire, seed: seed)) { requests.append(request) }
  try requireEqual(
    requests.map { "\($0.method) \($0.target) \($0.indexOnConnection)" },
    ["POST /\(word) 0", "GET http://h/?q 1", "PUT * 2"], "the known requests")
  try requireEqual(requests.map { Array($0.body) }, [body, [], body], "their bodies")
  try requireEqual(requests.map(\.bodyLength), [body.count, 0, body.count], "their lengths")
  try requireEqual(requests[0].headers.values(of: "X-a"), [word, "b"], "the values of a field")
  try requireEqual(requests[0].headers["x-A"], "\(word), b", "the joined values of a field")
  try requireEqual(requests.map { Array($0.headers).count }, [4, 0, 2], "the numbers of fields")
}

/// A part of a request, and the status with which it is refused; 0 if it is not.
private let refusals: [(text: String, status: Int)] = [
  (request(line: "GET / HTTP/1.1", "Host: h"), 0), (request(line: "GET / HTTP/1.1"), 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "Host: h"), 400), (request(line: "GET / HTTP/1.0"), 0),
  (request(line: "GET  HTTP/1.1", "Host: h"), 400), (request(line: "GET / HTTP/2.0", "Host: h"), 505),
  (request(line: "GET / HTTP/1.9", "Host: h"), 0), (request(line: "GET / http/1.1", "Host: h"), 400),
  (request(line: "G(T / HTTP/1.1", "Host: h"), 400), (request(line: "GET /\u{E4} HTTP/1.1", "Host: h"), 400),
  (request(line: "GET / HTTP/1.1", "Host : h"), 400), (request(line: "GET / HTTP/1.1", "Host: h", " x"), 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "X: \u{1}"), 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "X: \u{E4}\t"), 0),
  (request(line: "GET / HTTP/1.1", "Host: h", "Content-Length: 0", "Content-Length: 00"), 0),
  (request(line: "GET / HTTP/1.1", "Host: h", "Content-Length: 0", "Content-Length: 1"), 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "Content-Length: +0"), 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "Content-Length: "), 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "Content-Length: 301"), 413),
  (request(line: "GET / HTTP/1.1", "Host: h", "Content-Length: 0", "Transfer-Encoding: chunked"), 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "Transfer-Encoding: gzip, chunked"), 501),
  (request(line: "GET / HTTP/1.0", "Transfer-Encoding: chunked"), 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked") + "12D\r\n", 413),
  (request(line: "GET / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked") + "1\r\nab\r\n", 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked") + "\r\n", 400),
  (request(line: "GET / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked") + "0\r\nx\r\n", 400),
  // The head has as many bytes as it may have, or one more.
  (request(line: "GET / HTTP/1.1", "Host: h", "X: " + String(repeating: "x", count: 468)), 0),
  (request(line: "GET / HTTP/1.1", "Host: h", "X: " + String(repeating: "x", count: 469)), 431),
  (request(line: "GET /" + String(repeating: "x", count: 500) + " HTTP/1.1", "Host: h"), 414),
]

private func request(line: String, _ fields: String...) -> String {
  ([line] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
}

private func checkRefusals(_ seed: UInt8) throws {
  let (text, status) = refusals[Int(seed) % refusals.count]
  switch events(of: pieces(of: Array(text.utf8), seed: seed)).first {
  case .request: try requireEqual(status, 0, "not refused: \(text)")
  case .rejected(let found): try requireEqual(found, status, "refused: \(text)")
  default: throw Violation(description: "neither a request nor a refusal: \(text)")
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

/// The head of a response as bytes, and the framing of its body.
struct ReplyHead {
  let sendsBody: Bool
  /// `true` if the body is sent, and in chunks.
  let isChunked: Bool
  let chunkSize: Int
  /// `true` if the connection is closed after the response.
  let closes: Bool
  /// Whether the reply has no head, or HTTP/2 sends it.
  private let writesNothing: Bool
  private let length: Int?
  private let announcesChunks: Bool
  private let connection: String?

  init(
    _ reply: LoopbackServer.Reply, method: String, keepsAlive: Bool, isHTTP10: Bool, isHTTP2: Bool
  ) {
    guard reply.framing != .raw else {
      (sendsBody, isChunked, chunkSize) = (!isHTTP2, false, 0)
      (closes, writesNothing) = (reply.closes, true)
      (length, announcesChunks, connection) = (nil, false, nil)
      return
    }
    writesNothing = isHTTP2
    let isBodiless = reply.status < 200 || reply.status == 204 || reply.status == 304
    sendsBody = !isBodiless && method != "HEAD"
    // If the reply's own fields frame the body, its head and body are sent unchanged.
    let isFramed = reply.headers.contains {
      ["content-length", "transfer-encoding"].contains($0.name.lowercased())
    }
    let framing = reply.framing == .chunked && isHTTP10 ? .untilClose : reply.framing
    announcesChunks = framing == .chunked && !isFramed && !isBodiless
    isChunked = framing == .chunked && sendsBody && !isHTTP2
    chunkSize = reply.chunkSize ?? reply.pace?.chunk ?? 16_384
    let announcesLength = framing == .length && !isFramed && !isBodiless
    length = reply.announcedLength ?? (announcesLength ? reply.body.count : nil)
    let saysClose = reply.closes || !keepsAlive || framing == .untilClose && !isHTTP2
    connection = saysClose ? "close" : isHTTP10 ? "keep-alive" : nil
    closes = saysClose || sendsBody && length.map { $0 > reply.body.count } ?? false
  }

  /// The fields of the head over HTTP/2, which has other means to frame the body.
  func fields(of reply: LoopbackServer.Reply) -> [(name: String, value: String)] {
    reply.headers + (length.map { [("Content-Length", String($0))] } ?? [])
  }

  /// Appends the bytes of the head; none if the reply is raw.
  func write(_ reply: LoopbackServer.Reply, into output: inout [UInt8]) {
    guard !writesNothing else { return }
    for interim in reply.interim {
      output.append(statusLine: interim.status)
      for header in interim.headers { output.append(field: header.name, header.value) }
      output.append(contentsOf: "\r\n".utf8)
    }
    output.append(statusLine: reply.status)
    for header in reply.headers { output.append(field: header.name, header.value) }
    if let length { output.append(field: "Content-Length", String(length)) }
    if announcesChunks { output.append(field: "Transfer-Encoding", "chunked") }
    if let connection { output.append(field: "Connection", connection) }
    output.append(contentsOf: "\r\n".utf8)
  }
}

extension [UInt8] {
  mutating func append(field name: String, _ value: String) {
    append(contentsOf: name.utf8)
    append(contentsOf: ": ".utf8)
    append(contentsOf: value.utf8)
    append(contentsOf: "\r\n".utf8)
  }

  fileprivate mutating func append(statusLine status: Int) {
    append(contentsOf: "HTTP/1.1 ".utf8)
    append(contentsOf: String(status).utf8)
    append(contentsOf: " ".utf8)
    append(contentsOf: reasonPhrase(status).utf8)
    append(contentsOf: "\r\n".utf8)
  }
}

private func reasonPhrase(_ status: Int) -> String {
  switch status {
  case 100: "Continue"
  case 103: "Early Hints"
  case 200: "OK"
  case 201: "Created"
  case 202: "Accepted"
  case 204: "No Content"
  case 206: "Partial Content"
  case 301: "Moved Permanently"
  case 302: "Found"
  case 303: "See Other"
  case 304: "Not Modified"
  case 307: "Temporary Redirect"
  case 308: "Permanent Redirect"
  case 400: "Bad Request"
  case 401: "Unauthorized"
  case 403: "Forbidden"
  case 404: "Not Found"
  case 405: "Method Not Allowed"
  case 409: "Conflict"
  case 413: "Content Too Large"
  case 414: "URI Too Long"
  case 418: "I'm a teapot"
  case 422: "Unprocessable Content"
  case 429: "Too Many Requests"
  case 431: "Request Header Fields Too Large"
  case 500: "Internal Server Error"
  case 501: "Not Implemented"
  case 502: "Bad Gateway"
  case 503: "Service Unavailable"
  case 504: "Gateway Timeout"
  case 505: "HTTP Version Not Supported"
  default: ""
  }
}

// Without this import, `Data` appends byte by byte.
import Foundation

/// Parses the bytes of one connection into requests, into whatever pieces they are split.
struct RequestParser {
  enum Event: Equatable {
    /// No complete request has been received.
    case needsMore
    /// A head with `Expect: 100-continue` has been received, and its body has not.
    case continueExpected
    /// A complete request.
    case request(LoopbackServer.Request)
    /// The bytes are not a valid request, or the request is too large; no further bytes are read.
    case rejected(status: Int)
  }

  private enum State {
    case requestLine
    case fields
    case body(Int)
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailers
    case rejected
  }

  /// The request that is being received, set once its head is complete.
  private(set) var partial: LoopbackServer.Request?
  /// `true` if the connection stays open after the last returned request.
  private(set) var keepsAlive = true
  /// `true` if the last returned request was sent as HTTP/1.0.
  private(set) var isHTTP10 = false
  private let options: LoopbackServer.Options
  private let connection: Int
  private var count = 0
  private var state = State.requestLine
  private var head = RequestHead()
  private var lineBytes = 0
  private var input = InputBuffer()

  init(connection: Int, options: LoopbackServer.Options) {
    self.connection = connection
    self.options = options
  }

  /// The number of received bytes that have not been read yet.
  var unread: Int { input.count }

  /// Takes the bytes that do not belong to a request, because the connection switches to another protocol.
  mutating func takeUnread() -> [UInt8] { input.takeAll() }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    input.append(bytes)
  }

  /// Returns the next event in the bytes received so far.
  mutating func next() -> Event {
    while true {
      let event: Event? =
        switch state {
        case .requestLine, .fields, .chunkSize, .chunkEnd, .trailers: readLine()
        case .body(let remaining): readBody(remaining, then: nil)
        case .chunk(let remaining): readBody(remaining, then: .chunkEnd)
        case .rejected: .needsMore
        }
      if let event { return event }
    }
  }

  private mutating func readLine() -> Event? {
    guard let line = input.line() else {
      return input.count + lineBytes > lineLimit ? reject(tooLong) : .needsMore
    }
    lineBytes += line.count + 2
    guard lineBytes <= lineLimit else { return reject(tooLong) }
    switch state {
    case .requestLine:
      if line.isEmpty { return nil }  // RFC 9112, section 2.2: empty lines before a request are skipped
      if let status = head.read(requestLine: line) { return reject(status) }
      state = .fields
      return nil
    case .fields:
      if line.isEmpty { return headEnded() }
      return head.read(fieldLine: line).map { reject($0) }
    case .chunkSize:
      guard let size = chunkSize(line) else { return reject(400) }
      guard size <= options.bodyLimit - (partial?.bodyLength ?? 0) else { return reject(413) }
      state = size == 0 ? .trailers : .chunk(size)
      lineBytes = 0
      return nil
    case .chunkEnd:
      guard line.isEmpty else { return reject(400) }
      state = .chunkSize
      return nil
    case .trailers:
      if line.isEmpty { return requestEnded() }
      return RequestHead.colon(of: line) == nil ? reject(400) : nil
    case .body, .chunk, .rejected:
      return nil
    }
  }

  private mutating func headEnded() -> Event? {
    if let status = head.problem { return reject(status) }
    let request = LoopbackServer.Request(
      method: head.method, target: head.target, headers: .init(lines: head.fieldLines),
      connection: connection, indexOnConnection: count)
    count += 1
    keepsAlive = head.keepsAlive
    isHTTP10 = head.isHTTP10
    lineBytes = 0
    partial = request
    switch head.framing {
    case .none:
      return requestEnded()
    case .length(let length):
      guard length <= options.bodyLimit else { return reject(413) }
      state = .body(length)
    case .chunked:
      state = .chunkSize
    }
    return head.expectsContinue && input.count == 0 && options.answersExpectContinue ? .continueExpected : nil
  }

  private mutating func readBody(_ remaining: Int, then next: State?) -> Event? {
    let taken = input.take(upTo: remaining) { bytes in
      let kept = max(0, min(bytes.count, options.keptBodyBytes - (partial?.body.count ?? 0)))
      partial?.body.append(contentsOf: bytes.prefix(kept))
      partial?.bodyLength += bytes.count
    }
    if taken == remaining {
      guard let next else { return requestEnded() }
      state = next
      return nil
    }
    state = next == nil ? .body(remaining - taken) : .chunk(remaining - taken)
    return .needsMore
  }

  private mutating func requestEnded() -> Event? {
    state = .requestLine
    head = RequestHead()
    lineBytes = 0
    defer { partial = nil }
    return partial.map { .request($0) }
  }

  private mutating func reject(_ status: Int) -> Event {
    state = .rejected
    partial = nil
    input = InputBuffer()
    return .rejected(status: status)
  }

  private var lineLimit: Int {
    if case .chunkSize = state { return 4096 }
    return options.headLimit
  }

  private var tooLong: Int {
    switch state {
    case .requestLine: 414
    case .fields, .trailers: 431
    default: 400
    }
  }
}

/// Parses the size of a chunk, without the extension that may follow a semicolon.
private func chunkSize(_ line: ArraySlice<UInt8>) -> Int? {
  let digits = trimmingBlanks(line.prefix { $0 != UInt8(ascii: ";") })
  guard !digits.isEmpty, digits.count <= 15 else { return nil }
  var size = 0
  for digit in digits {
    guard let value = hexDigit(digit) else { return nil }
    size = size << 4 | Int(value)
  }
  return size
}

internal import Foundation

/// Reads a request body piece by piece and enforces its announced length; see
/// ``TransportRequest/bodyReader(onBytesAvailable:)``.
public struct RequestBodyReader {
  /// The length of the body in bytes; `nil` if unknown.
  public let length: Int64?
  private let body: TransportRequest.Body
  /// The prepared content of a stream.
  private var content: BodyStream.Content?
  private let url: String
  private let onBytesAvailable: @Sendable () -> Void
  private var reader: (any BodyReader)?
  private var offset: Int64 = 0
  /// The last announced piece, held back until the reader has confirmed that nothing follows.
  private var heldBack: [UInt8] = []
  private var isAtEnd = false

  /// Prepares to read a request's body, which may block on the file system if the body is a file or a form
  /// with files.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - fileLength: the length of a file in bytes; if `nil`, the file is opened to find it.
  ///   - onBytesAvailable: called on any thread when bytes may be available after `read(into:)` has
  ///     returned `nil`.
  /// - Throws: an error if the request need not be started, for example because a file cannot be opened.
  package init(
    _ request: borrowing TransportRequest, fileLength: Int64? = nil,
    onBytesAvailable: @escaping @autoclosure () -> @Sendable () -> Void
  ) throws(TransferError) {
    body = request.content
    url = request.url
    switch body {
    case .none:
      length = 0
      self.onBytesAvailable = {}
    case .data(let data):
      length = Int64(data.count)
      self.onBytesAvailable = {}
    case .file(let file):
      // Opened only to check the file: if it stayed open, many requests that wait for a connection would use
      // too many file descriptors.
      let count = if let fileLength { fileLength } else { try FileReader(file).length }
      length = count
      self.onBytesAvailable = onBytesAvailable()
      try request.checkContentLength(count)
    case .stream(let stream):
      let content = try stream.prepare()
      let announced = content.length ?? request.announcedLength
      length = announced
      self.content = content
      self.onBytesAvailable = onBytesAvailable()
      if let announced {
        guard announced >= 0 else { throw .cannotReadBody(reason: "its announced length is \(announced)") }
        try request.checkContentLength(announced)
      }
    }
  }

  /// The body, if it is in memory.
  var data: Data? {
    guard case .data(let data) = body else { return nil }
    return data
  }

  /// The greatest number of bytes that can have been sent so far.
  package var sendableCount: Int64 { length ?? offset }

  /// Whether there is a body, even an empty one.
  var hasContent: Bool { body != .none }

  /// Fills a buffer with the next bytes.
  ///
  /// The last bytes of a body with a length are returned after the body has confirmed that no more follow.
  ///
  /// - Parameter buffer: receives the bytes; must not be empty.
  /// - Returns: the number of bytes written, 0 at the end; `nil` if none are available yet.
  /// - Throws: `TransferError.wrongBodyLength`, `.cannotReadFile` or `.cannotReadBody`; `.cannotRepeatBody`
  ///   for a stream that can be read only once, and was read before.
  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int? {
    if case .data(let data) = body {
      let start = data.startIndex + Int(offset)
      let count = data[start...].copyBytes(to: buffer)
      offset += Int64(count)
      return count
    }
    if body == .none || isAtEnd && heldBack.isEmpty { return 0 }
    if !heldBack.isEmpty { return try deliverHeldBack(into: buffer) }
    guard let count = try readMore(into: buffer) else { return nil }
    let position = offset + Int64(count)
    if let length, count == 0 ? position < length : position > length {
      throw .wrongBodyLength(announced: length, actual: position)
    }
    if position == length, count > 0 {
      // The server must not get the last announced byte before the reader has confirmed that nothing follows.
      guard try confirmEnd() else {
        heldBack = Array(buffer.prefix(count))
        return nil
      }
    }
    offset = position
    isAtEnd = count == 0 || position == length
    return count
  }

  /// Moves to another position; only a body in memory can move to one other than the beginning.
  package mutating func seek(to position: Int64) throws(TransferError) {
    guard case .data(let data) = body else {
      guard position == 0 else { throw .cannotRepeatBody(url: url) }
      if case .stream(let stream) = body, !stream.isRepeatable, reader != nil {
        // A reader that an earlier attempt has opened but not read is still at the beginning.
        guard offset == 0, heldBack.isEmpty else { throw .cannotRepeatBody(url: url) }
        return
      }
      (reader, offset, heldBack, isAtEnd) = (nil, 0, [], false)
      return
    }
    guard (0...Int64(data.count)).contains(position) else { throw .cannotRepeatBody(url: url) }
    offset = position
  }

  /// Throws if a stream of length 0 has bytes, which would go unnoticed because no transport reads it.
  ///
  /// May block in the reader of the stream.
  package mutating func checkEmptiness() throws(TransferError) {
    guard case .stream(let stream) = body, length == 0 else { return }
    do {
      reader = try open(stream, onBytesAvailable)
    } catch {
      throw TransferError(ofBodyReader: error)
    }
    // Not opened again for the end, because some streams can be opened only once.
    isAtEnd = try confirmEnd()
    reader = nil
  }

  /// Releases the reader and the resources that it holds open.
  package mutating func close() {
    reader = nil
    heldBack = []
  }

  private mutating func deliverHeldBack(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError)
    -> Int?
  {
    if !isAtEnd, try !confirmEnd() { return nil }
    isAtEnd = true
    let count = min(heldBack.count, buffer.count)
    buffer.copyBytes(from: heldBack.prefix(count))
    heldBack.removeFirst(count)
    offset += Int64(count)
    return count
  }

  /// Reads on to find the end; returns `false` if the reader has not reached it yet, and throws if it has more bytes.
  private mutating func confirmEnd() throws(TransferError) -> Bool {
    guard let length else { return true }
    var byte: UInt8 = 0
    let surplus = try withUnsafeMutableBytes(of: &byte) { (buffer) throws(TransferError) in
      try readMore(into: buffer)
    }
    if let surplus, surplus > 0 { throw .wrongBodyLength(announced: length, actual: length + 1) }
    return surplus == 0
  }

  private mutating func readMore(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int? {
    do {
      if reader == nil { reader = try opened() }
    } catch {
      throw TransferError(ofBodyReader: error)
    }
    return try reader?.readChecked(into: buffer)
  }

  private func opened() throws -> any BodyReader {
    switch body {
    case .none, .data: throw TransferError.cannotRepeatBody(url: url)
    case .file(let file):
      return ReadAheadReader(
        FilePieceSource(file, length: length), on: .files, onBytesAvailable: onBytesAvailable)
    case .stream(let stream):
      guard stream.mayBlock else { return try open(stream, onBytesAvailable) }
      let source = ReaderPieceSource { [self] in try open(stream, $0) }
      return ReadAheadReader(source, on: .streams, onBytesAvailable: onBytesAvailable)
    }
  }

  private func open(_ stream: BodyStream, _ onBytesAvailable: @escaping @Sendable () -> Void) throws
    -> any BodyReader
  {
    guard let content, let reader = try stream.open(content, onBytesAvailable: onBytesAvailable) else {
      throw TransferError.cannotRepeatBody(url: url)
    }
    return reader
  }
}

extension TransportRequest {
  /// Returns a reader of the body, for a transport that sends the request.
  ///
  /// May block on the file system if the body is a file or a form with files, and in the reader of a
  /// `BodyStream` of length 0. A body that is sent again, for example after a redirect, needs another reader.
  /// Use one reader on one thread at a time; it reads a `BodyStream` on other threads.
  ///
  /// - Parameter onBytesAvailable: called on any thread when bytes may be available after `read(into:)` has
  ///   returned `nil`.
  /// - Returns: the reader; of length 0 if the request has no body.
  /// - Throws: an error if the request need not be started, for example because a file cannot be opened.
  public func bodyReader(
    onBytesAvailable: @escaping @Sendable () -> Void
  ) throws(TransferError) -> RequestBodyReader {
    var reader = try RequestBodyReader(self, onBytesAvailable: onBytesAvailable)
    try reader.checkEmptiness()
    return reader
  }

  /// The content to send: empty data if the method anticipates content, none for `HEAD`.
  package var content: Body {
    if case .none = body { return method.anticipatesContent ? .data(Data()) : .none }
    return method == .head ? .none : body
  }

  /// The threads on which to prepare the reader of the body; `nil` if that does not block.
  package var bodyPreparation: BlockingWorkPool? {
    switch content {
    case .none, .data: nil
    case .file: .files
    case .stream(let stream) where stream.needsPreparation: .files
    // Its reader is asked whether it really has no bytes.
    case .stream(let stream) where stream.mayBlock && (stream.length ?? announcedLength) == 0: .streams
    case .stream: nil
    }
  }

  /// The length in the request's own `Content-Length` field, if it has one.
  fileprivate var announcedLength: Int64? {
    headers.first { $0.isNamed("content-length") }.flatMap { Int64($0.value) }
  }

  /// Throws if a `Content-Length` field differs from the body's length.
  fileprivate func checkContentLength(_ length: Int64) throws(TransferError) {
    for field in headers where field.isNamed("content-length") && field.value != String(length) {
      throw .invalidField(name: field.name, value: field.value)
    }
  }
}

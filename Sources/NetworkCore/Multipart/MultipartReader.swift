internal import struct Foundation.Data

/// Reads the bytes of a multipart body: its heads, parts and boundaries, one after another.
final class MultipartReader: BodyReader {
  /// A piece of the body; its `length` is `nil` if it is not known.
  struct Piece {
    let body: TransportRequest.Body
    var length: Int64?
  }

  private var pieces: [RequestBodyReader]
  private var current = 0

  init(_ pieces: [Piece], onBytesAvailable: @escaping @Sendable () -> Void) throws {
    self.pieces = try pieces.map { piece in
      try RequestBodyReader(
        TransportRequest(method: .post, url: "a part of a form", body: piece.body), fileLength: piece.length,
        onBytesAvailable: onBytesAvailable)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    var filled = 0
    while filled < buffer.count, current < pieces.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      guard let count = try pieces[current].read(into: rest) else { return filled > 0 ? filled : nil }
      filled += count
      if count == 0 {
        pieces[current].close()
        current += 1
      }
    }
    return filled
  }
}

extension MultipartFormData {
  /// Returns the body to send.
  ///
  /// The lengths of files are determined when it is prepared, because that may block.
  package func body(for method: HTTPMethod) throws(MultipartError) -> BodyStream {
    guard method.supportsMultipart else { throw .unsupportedMethod(method) }
    guard !parts.isEmpty else { throw .noParts }
    guard delimiter.isBoundary else { throw .invalidBoundary(delimiter) }
    var pieces: [MultipartReader.Piece] = []
    for (index, part) in parts.enumerated() {
      pieces.append(.text((index == 0 ? "" : "\r\n") + "--\(delimiter)\r\n" + (try part.head())))
      pieces.append(part.provider.piece)
    }
    pieces.append(.text("\r\n--\(delimiter)--\r\n"))
    guard pieces.contains(where: \.isFile) else {
      let content = BodyStream.Content(length: pieces.length) { [pieces] onBytesAvailable in
        try MultipartReader(pieces, onBytesAvailable: onBytesAvailable)
      }
      return BodyStream(content, isRepeatable: isRepeatable)
    }
    return BodyStream(isRepeatable: isRepeatable) { [pieces] () throws(TransferError) in
      var measured = pieces
      for index in measured.indices { try measured[index].measure() }
      return BodyStream.Content(length: measured.length) { [measured] onBytesAvailable in
        try MultipartReader(measured, onBytesAvailable: onBytesAvailable)
      }
    }
  }
}

extension MultipartReader.Piece {
  fileprivate static func text(_ text: String) -> Self {
    Self(body: .data(Data(text.utf8)), length: Int64(text.utf8.count))
  }

  fileprivate var isFile: Bool {
    if case .file = body { true } else { false }
  }

  /// Determines the length of a file.
  ///
  /// - Throws: `TransferError.cannotReadFile` if there is no file to read.
  fileprivate mutating func measure() throws(TransferError) {
    if case .file(let url) = body { length = try FileReader(url).length }
  }
}

extension [MultipartReader.Piece] {
  /// The number of bytes in all pieces; `nil` if the length of one is not known, or the sum is too large.
  fileprivate var length: Int64? {
    reduce(0) { sum, piece in
      guard let sum, let length = piece.length else { return nil }
      let (total, isTooLarge) = sum.addingReportingOverflow(length)
      return isTooLarge ? nil : total
    }
  }
}

extension MultipartFormData {
  /// Whether the body can be read more than once.
  var isRepeatable: Bool { parts.allSatisfy(\.provider.isRepeatable) }
}

extension MultipartFormData.FormDataProvider {
  fileprivate var piece: MultipartReader.Piece {
    switch self {
    case .data(let data): .init(body: .data(data), length: Int64(data.count))
    case .file(let url): .init(body: .file(url))
    case .stream(let stream): .init(body: .stream(stream), length: stream.length)
    }
  }

  fileprivate var isRepeatable: Bool {
    if case .stream(let stream) = self { stream.isRepeatable } else { true }
  }
}

extension HTTPMethod {
  /// Whether a request with this method may have a multipart body.
  public var supportsMultipart: Bool {
    switch self {
    case .post, .put, .patch, .connect: true
    default: false
    }
  }
}

extension String {
  /// Whether the text is a valid boundary (RFC 2046, section 5.1.1).
  fileprivate var isBoundary: Bool {
    let marks = "'()+_,-./:=? ".utf8
    return (1...70).contains(utf8.count) && utf8.last != UInt8(ascii: " ")
      && unicodeScalars.allSatisfy { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
          || scalar.isASCII && marks.contains(UInt8(scalar.value))
      }
  }
}

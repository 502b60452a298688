internal import struct Foundation.Data

/// Gives the bytes of a multipart body: its parts and what stands between them, one after the other.
final class MultipartReader: BodyReader {
  private var pieces: [BodyCursor]
  private var current = 0

  init(
    _ pieces: [(body: TransportRequest.Body, length: Int64?)], more: @escaping @Sendable () -> Void
  ) throws {
    self.pieces = try pieces.map { piece in
      try BodyCursor(
        TransportRequest(method: .post, url: "a part of a form", body: piece.body), fileLength: piece.length,
        more: more)
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
  /// The body that is sent.
  ///
  /// - Throws: `MultipartError`, or `TransferError.cannotReadFile` for a file that is not one.
  func body(for method: HTTPMethod) throws -> BodyStream {
    guard method.supportsMultipart else { throw MultipartError.unsupportedMethod(method) }
    guard !parts.isEmpty else { throw MultipartError.noParts }
    guard delimiter.isBoundary else { throw MultipartError.invalidBoundary(delimiter) }
    var pieces: [(body: TransportRequest.Body, length: Int64?)] = []
    var length: Int64? = 0
    func add(_ text: String) {
      pieces.append((.data(Data(text.utf8)), nil))
      length = length.map { $0 + Int64(text.utf8.count) }
    }
    for (index, part) in parts.enumerated() {
      add((index == 0 ? "" : "\r\n") + "--\(delimiter)\r\n" + (try part.head()))
      let size = try part.provider.checkedLength()
      pieces.append((part.provider.body, size))
      length = length.flatMap { sum in size.map { sum.addingReportingOverflow($0) } }
        .flatMap { $0.overflow ? nil : $0.partialValue }
    }
    add("\r\n--\(delimiter)--\r\n")
    return BodyStream(length: length, isRepeatable: isRepeatable) { [pieces] more in
      try MultipartReader(pieces, more: more)
    }
  }
}

extension MultipartFormData {
  /// Whether the body can be read more than once.
  var isRepeatable: Bool { parts.allSatisfy(\.provider.isRepeatable) }
}

extension MultipartFormData.FormDataProvider {
  fileprivate var body: TransportRequest.Body {
    switch self {
    case .data(let data): .data(data)
    case .file(let url): .file(url)
    case .stream(let stream): .stream(stream)
    }
  }

  fileprivate var isRepeatable: Bool {
    if case .stream(let stream) = self { stream.isRepeatable } else { true }
  }

  fileprivate func checkedLength() throws(TransferError) -> Int64? {
    if case .file(let url) = self { try FileReader(url).length } else { length }
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
  /// RFC 2046, section 5.1.1.
  fileprivate var isBoundary: Bool {
    let marks = "'()+_,-./:=? ".utf8
    return (1...70).contains(utf8.count) && utf8.last != UInt8(ascii: " ")
      && unicodeScalars.allSatisfy { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
          || scalar.isASCII && marks.contains(UInt8(scalar.value))
      }
  }
}

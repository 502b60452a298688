/// A message in libcurl's log about an HTTP/2 stream, or about a server that leaves its connection (GOAWAY;
/// RFC 9113, section 6.8).
///
/// Used for versions below 8.0, which end the transfers of streams that a GOAWAY excludes with `CURLE_HTTP2`
/// or `CURLE_GOT_NOTHING`. They report the same if the server has reset the stream or has violated the
/// protocol, and may have processed the request. No code and no `CURLINFO` distinguishes the cases: only the
/// messages of `CURLOPT_VERBOSE` name the stream and the last one processed. The wording of these versions is
/// final; if a version had another wording, POSTs would end with `.connectionLost`. This can be removed when
/// the floor is 8.0.
enum GoAwayLogLine: Equatable {
  /// The stream of the request.
  case stream(UInt32)
  /// The server leaves the connection; it has processed no stream with a higher number.
  case goAway(last: UInt32)

  /// Reads a line of the log; `nil` if it is about something else.
  ///
  /// Examples are `Using Stream ID: 3 (easy handle 0x...)` and `recveived GOAWAY, error=0, last_stream=1`.
  init?(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "Using Stream ID: ".utf8) {
      guard let number = Self.number(in: line.dropFirst("Using Stream ID: ".utf8.count)) else { return nil }
      self = .stream(number)
    } else if line.prefix(20).contains(UInt8(ascii: "G")),
      let start = Self.end(of: "GOAWAY, error=", in: line),
      let mark = line[start...].lastIndex(of: UInt8(ascii: "=")),
      let number = Self.number(in: line[(mark + 1)...])
    {
      self = .goAway(last: number)
    } else {
      return nil
    }
  }

  private static func end(of words: StaticString, in line: UnsafeRawBufferPointer) -> Int? {
    let count = words.utf8CodeUnitCount
    let words = UnsafeRawBufferPointer(start: words.utf8Start, count: count)
    return line.indices.prefix(20).first { line[$0...].starts(with: words) }.map { $0 + count }
  }

  /// Returns the decimal number at the beginning of the text.
  private static func number(in text: Slice<UnsafeRawBufferPointer>) -> UInt32? {
    UInt32(String(decoding: text.prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
  }
}

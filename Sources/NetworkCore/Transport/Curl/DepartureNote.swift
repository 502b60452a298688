/// What libcurl notes of the streams of HTTP/2 and of servers that leave their connection (GOAWAY; RFC 9113, section 6.8).
///
/// For versions below 8.0, which end the transfers of streams that a GOAWAY leaves out with `CURLE_HTTP2` or `CURLE_GOT_NOTHING`. They
/// do the same when the server has reset the stream or has broken the protocol, and may have processed the request. No code and no
/// `CURLINFO` tells which it was: only the notes of `CURLOPT_VERBOSE` name the stream and the last one processed. The words of these
/// versions change no more; a version with others would have POSTs end as `.connectionLost`. This goes when the floor is 8.0.
enum DepartureNote: Equatable {
  /// The request has this stream.
  case stream(UInt32)
  /// The server leaves the connection; it has processed no stream with a higher number.
  case departure(last: UInt32)

  /// Reads a line of notes; `nil` if it is about something else.
  ///
  /// Such lines are `Using Stream ID: 3 (easy handle 0x...)` and `recveived GOAWAY, error=0, last_stream=1`.
  init?(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "Using Stream ID: ".utf8) {
      guard let number = Self.number(in: line.dropFirst("Using Stream ID: ".utf8.count)) else { return nil }
      self = .stream(number)
    } else if line.prefix(20).contains(UInt8(ascii: "G")),
      let start = Self.end(of: "GOAWAY, error=", in: line),
      let mark = line[start...].lastIndex(of: UInt8(ascii: "=")),
      let number = Self.number(in: line[(mark + 1)...])
    {
      self = .departure(last: number)
    } else {
      return nil
    }
  }

  private static func end(of words: StaticString, in line: UnsafeRawBufferPointer) -> Int? {
    let count = words.utf8CodeUnitCount
    let words = UnsafeRawBufferPointer(start: words.utf8Start, count: count)
    return line.indices.prefix(20).first { line[$0...].starts(with: words) }.map { $0 + count }
  }

  /// The decimal number that text begins with.
  private static func number(in text: Slice<UnsafeRawBufferPointer>) -> UInt32? {
    UInt32(String(decoding: text.prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
  }
}

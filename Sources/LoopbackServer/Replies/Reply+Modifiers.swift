extension LoopbackServer.Reply {
  /// Adds a header field.
  ///
  /// A field that frames the body (`Content-Length`, `Transfer-Encoding`) replaces the server's own.
  public func header(_ name: String, _ value: String) -> Self {
    with { $0.headers.append((name, value)) }
  }

  /// Sends the body in chunks (`Transfer-Encoding: chunked`) of `size` bytes, 1 or more.
  ///
  /// Without a size, a chunk is a piece of `trickled(chunk:every:)`, or about 16 KiB. An HTTP/1.0 client
  /// receives the body unchunked, ended by closing the connection.
  public func chunked(size: Int? = nil) -> Self {
    with {
      $0.framing = .chunked
      $0.chunkSize = size.map { max(1, $0) }
    }
  }

  /// Adds a trailer field after the last chunk; only a chunked body has trailers, and every body over HTTP/2.
  public func trailer(_ name: String, _ value: String) -> Self {
    with { $0.trailers.append((name, value)) }
  }

  /// Sends the body without a length and ends it by closing the connection.
  public func endedByClosing() -> Self { with { $0.framing = .untilClose } }

  /// Sends `length` as `Content-Length`, whatever the length of the body.
  ///
  /// If the body is shorter, the connection is closed after it. If the body is longer, the connection stays
  /// open, and the surplus bytes are sent on it.
  public func contentLength(_ length: Int) -> Self { with { $0.announcedLength = length } }

  /// Sends an informational response first, with a status from 100 to 199; several are sent in the order
  /// added.
  public func preceded(by status: Int, headers: [(name: String, value: String)] = []) -> Self {
    with { $0.interim.append((status, headers)) }
  }

  /// Sends `Connection: close` and closes the connection after the response.
  public func closingConnection() -> Self { with { $0.closes = true } }

  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}

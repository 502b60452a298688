extension LoopbackServer.Reply {
  /// Adds a header field.
  ///
  /// One that frames the body (`Content-Length`, `Transfer-Encoding`) takes the place of the server's own.
  public func header(_ name: String, _ value: String) -> Self {
    with { $0.headers.append((name, value)) }
  }

  /// Sends the body in chunks (`Transfer-Encoding: chunked`) of so many bytes, 1 or more.
  ///
  /// Without a size the server takes the pieces of `trickled(chunk:every:)`, or about 16 KiB. A client that speaks
  /// HTTP/1.0 gets the body unchunked, ended by closing the connection.
  public func chunked(size: Int? = nil) -> Self {
    with {
      $0.framing = .chunked
      $0.chunkSize = size.map { max(1, $0) }
    }
  }

  /// Adds a trailer field behind the last chunk; only a chunked body has trailers.
  public func trailer(_ name: String, _ value: String) -> Self {
    with { $0.trailers.append((name, value)) }
  }

  /// Sends the body without a length and closes the connection to end it.
  public func endedByClosing() -> Self { with { $0.framing = .untilClose } }

  /// Announces that `Content-Length`, whatever the body's length is.
  ///
  /// Where the body is shorter the connection is closed behind it; where it is longer the connection stays open,
  /// with the surplus in it.
  public func contentLength(_ length: Int) -> Self { with { $0.announcedLength = length } }

  /// Sends an informational answer first, with a status from 100 to 199; several go out in the order added.
  public func preceded(by status: Int, headers: [(name: String, value: String)] = []) -> Self {
    with { $0.interim.append((status, headers)) }
  }

  /// Says `Connection: close` and closes the connection behind the answer.
  public func closingConnection() -> Self { with { $0.closes = true } }

  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}

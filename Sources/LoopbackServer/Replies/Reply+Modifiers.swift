extension LoopbackServer.Reply {
  /// Adds a header field; one that frames the body (`Content-Length`, `Transfer-Encoding`) takes the place of the
  /// server's own.
  ///
  /// - Parameters:
  ///   - name: the field's name.
  ///   - value: the field's value.
  public func header(_ name: String, _ value: String) -> Self {
    with { $0.headers.append((name, value)) }
  }

  /// Sends the body in chunks (`Transfer-Encoding: chunked`).
  ///
  /// - Parameter size: the size of a chunk in bytes, 1 or more; `nil` for what suits the server.
  public func chunked(size: Int? = nil) -> Self {
    with { $0.framing = .chunked(size: size.map { max(1, $0) }) }
  }

  /// Adds a trailer field behind the last chunk; only a chunked body has trailers.
  ///
  /// - Parameters:
  ///   - name: the field's name.
  ///   - value: the field's value.
  public func trailer(_ name: String, _ value: String) -> Self {
    with { $0.trailers.append((name, value)) }
  }

  /// Sends the body without a length and closes the connection to end it.
  public func endedByClosing() -> Self { with { $0.framing = .untilClose } }

  /// Announces a length whatever the body's length is.
  ///
  /// Where the body is shorter the connection is closed behind it; where it is longer the connection stays open,
  /// with the surplus in it.
  ///
  /// - Parameter length: the value of `Content-Length`.
  public func contentLength(_ length: Int) -> Self { with { $0.announcedLength = length } }

  /// Sends an informational answer first, such as 103; several are sent in the order added.
  ///
  /// - Parameters:
  ///   - status: its status code, 100 to 199.
  ///   - headers: its header fields.
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

extension LoopbackServer {
  /// The limits of a server and of its log.
  public struct Options: Sendable, Hashable {
    /// The largest request head in bytes; a larger head gets the response 431, a longer request line 414.
    public var headLimit = 65_536
    /// The largest request body in bytes; a larger one gets the response 413.
    public var bodyLimit = 1 << 30
    /// The number of bytes of a request's body to keep; the remainder is received and counted, but not kept.
    public var keptBodyBytes = Int.max
    /// The number of requests that the log keeps; the requests after them are only counted.
    public var keptRequests = 100_000
    /// Whether the server responds to `Expect: 100-continue`; if not, it waits for the body without a
    /// response.
    public var answersExpectContinue = true
    /// The size of the kernel's send buffer per connection in bytes; `nil` for the system's default.
    ///
    /// With a small buffer the server notices early that a peer does not read.
    public var sendBufferSize: Int?

    /// Creates the default options.
    public init() {}
  }
}

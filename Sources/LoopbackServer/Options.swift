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
    /// The number of bytes of all bodies that the log keeps; a body that does not fit is left out of its
    /// entry, but not of the request that the handler gets.
    public var keptLogBytes = 64 << 20
    /// Whether the server responds to `Expect: 100-continue`; if not, it waits for the body without a
    /// response.
    public var answersExpectContinue = true
    /// The size of the kernel's send buffer per connection in bytes; `nil` for the system's default.
    ///
    /// With a small buffer the server notices early that a peer does not read.
    public var sendBufferSize: Int?
    /// Whether a client that shuts down its sending side still gets the response that it waits for; not over HTTP/2.
    ///
    /// If not, the server takes such a client for one that has closed the connection, which looks the same
    /// until the server sends something.
    public var answersHalfClosedClients = false
    /// Whether starting the server raises the process's soft limit of open descriptors to the hard limit.
    public var raisesDescriptorLimit = false

    /// How the server speaks HTTP/2; `nil` for HTTP/1.1 alone.
    public var http2: HTTP2?

    /// Creates the default options.
    public init() {}
  }
}

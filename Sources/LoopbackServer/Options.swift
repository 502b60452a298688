extension LoopbackServer {
  /// The limits of a server, and how much its log keeps.
  public struct Options: Sendable, Hashable {
    /// The largest request head in bytes; a larger head is answered with 431, a longer request line with 414.
    public var headLimit = 65_536
    /// The largest request body in bytes; a larger one is answered with 413.
    public var bodyLimit = 1 << 30
    /// The number of bytes of a request's body to keep; the remainder is received and counted, but not kept.
    public var keptBodyBytes = Int.max
    /// The number of requests that the log keeps, the first ones; later ones are only counted.
    public var keptRequests = 100_000
    /// `true` if `Expect: 100-continue` is answered; if not, the server waits for the body without answering.
    public var answersExpectContinue = true
    /// The size of the kernel's send buffer per connection in bytes, `nil` for the system's default.
    ///
    /// With a small buffer the server notices early that a peer does not read.
    public var sendBufferSize: Int?

    /// Creates the default options.
    public init() {}
  }
}

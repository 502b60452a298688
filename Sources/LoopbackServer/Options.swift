extension LoopbackServer {
  /// A server's limits, and how much its log keeps.
  public struct Options: Sendable, Hashable {
    /// The largest request head in bytes; more is answered with 431, a longer request line with 414.
    public var headLimit = 65_536
    /// The largest request body in bytes; more is answered with 413.
    public var bodyLimit = 1 << 30
    /// How many bytes of a request's body are kept; the rest is received and counted, but not kept.
    public var keptBodyBytes = Int.max
    /// How many requests the log keeps, the first ones; later ones are only counted.
    public var keptRequests = 100_000
    /// Whether `Expect: 100-continue` is answered; if not, the server waits for the body in silence.
    public var answersExpectContinue = true
    /// The size of the kernel's send buffer per connection in bytes, `nil` for the system's own choice.
    ///
    /// Small buffers make a server notice early that a peer does not read.
    public var sendBufferSize: Int?

    /// The default options.
    public init() {}
  }
}

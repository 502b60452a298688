extension LoopbackServer {
  /// Where a server listens: always on this machine.
  public enum Address: Sendable, Hashable {
    /// On 127.0.0.1; the port 0 lets the system choose a free one.
    case ipv4(port: UInt16 = 0)
    /// On ::1; the port 0 lets the system choose a free one.
    case ipv6(port: UInt16 = 0)
    /// On a Unix socket, whose file the server makes and deletes; the path has at most 107 bytes (103 on
    /// Darwin).
    case unix(path: String)
  }
}

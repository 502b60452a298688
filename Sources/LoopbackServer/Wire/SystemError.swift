#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension LoopbackServer {
  /// A system call that failed.
  public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the call, such as `bind`.
    public let call: String
    /// The value of `errno`.
    public let code: Int32

    /// The call and the system's message for the code.
    public var description: String { "\(call): \(String(cString: strerror(code))) (\(code))" }

    static func last(_ call: String) -> Self { Self(call: call, code: errno) }
  }
}

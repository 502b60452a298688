#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension LoopbackServer {
  /// A system call or a function of OpenSSL or libnghttp2 that failed.
  public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the call, such as `bind`, `OpenSSL` or `libnghttp2`.
    public let call: String
    /// The value of `errno`; 0 if a library failed.
    public let code: Int32
    /// The system's message for the code, or the library's reason.
    public let message: String

    init(call: String, code: Int32, message: String? = nil) {
      self.call = call
      self.code = code
      self.message = message ?? String(cString: strerror(code))
    }

    /// The call, the message and the code.
    public var description: String { "\(call): \(message)\(code == 0 ? "" : " (\(code))")" }

    static func last(_ call: String) -> Self { Self(call: call, code: errno) }
  }
}

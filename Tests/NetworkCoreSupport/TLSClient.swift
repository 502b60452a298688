import Foundation
import Testing

/// A blocking TLS connection that can say that it sends nothing more, which libcurl cannot.
///
/// It uses the OpenSSL that the server under test has loaded.
final class TLSClient {
  private typealias Object = OpaquePointer?
  private typealias Transfer = @convention(c) (Object, UnsafeMutableRawPointer?, CInt) -> CInt

  private let library: Library
  private let stream: BlockingStream
  private let context: OpaquePointer
  private let session: OpaquePointer

  /// Connects to a port of 127.0.0.1, whose certificate is not checked.
  init(port: UInt16) throws {
    library = Library()
    stream = try #require(BlockingStream(port: port))
    let method = library.function("TLS_client_method", (@convention(c) () -> Object).self)()
    let makeContext = library.function("SSL_CTX_new", (@convention(c) (Object) -> Object).self)
    context = try #require(makeContext(method))
    let makeSession = library.function("SSL_new", (@convention(c) (Object) -> Object).self)
    session = try #require(makeSession(context))
    let setSocket = library.function("SSL_set_fd", (@convention(c) (Object, CInt) -> CInt).self)
    try #require(setSocket(session, stream.descriptor) == 1)
    try #require(library.function("SSL_connect", (@convention(c) (Object) -> CInt).self)(session) == 1)
  }

  deinit {
    library.function("SSL_free", (@convention(c) (Object) -> Void).self)(session)
    library.function("SSL_CTX_free", (@convention(c) (Object) -> Void).self)(context)
    stream.close()
  }

  func write(_ text: String) throws {
    var bytes = Array(text.utf8)
    let count = library.function("SSL_write", Transfer.self)(session, &bytes, CInt(bytes.count))
    try #require(count == bytes.count)
  }

  /// Says that this side sends nothing more.
  func sayCloseNotify() {
    _ = library.function("SSL_shutdown", (@convention(c) (Object) -> CInt).self)(session)
  }

  /// Returns all text until the server says that it sends nothing more, or closes the connection.
  func readToEnd() -> String {
    var (text, bytes) = ("", [UInt8](repeating: 0, count: 65_536))
    while case let count = library.function("SSL_read", Transfer.self)(session, &bytes, CInt(bytes.count)),
      count > 0
    {
      text += String(decoding: bytes[..<Int(count)], as: UTF8.self)
    }
    return text
  }

  private struct Library {
    private let handle = dlsym(nil, "SSL_new") == nil ? dlopen("libssl.so.3", RTLD_NOW) : nil

    func function<Function>(_ name: String, _: Function.Type) -> Function {
      unsafeBitCast(dlsym(handle, name), to: Function.self)
    }
  }
}

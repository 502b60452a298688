import Foundation

extension HTTPHeader {
  /// `Accept`: the media types that are welcome (RFC 9110, section 12.5.1).
  ///
  /// - Parameter value: such as `application/json`.
  /// - Returns: the field.
  public static func accept(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept", value: value)
  }

  /// `Accept-Charset`: the character sets that are welcome.
  ///
  /// - Parameter value: such as `utf-8`.
  /// - Returns: the field.
  public static func acceptCharset(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Charset", value: value)
  }

  /// `Accept-Encoding`: the compressions that are welcome (RFC 9110, section 12.5.3).
  ///
  /// - Parameter value: such as `gzip`. The transport decodes what libcurl knows, whatever is said here.
  /// - Returns: the field.
  public static func acceptEncoding(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Encoding", value: value)
  }

  /// `Accept-Language`: the languages that are welcome (RFC 9110, section 12.5.4).
  ///
  /// - Parameter value: such as `de, en;q=0.5`; see `qualityEncoded()`.
  /// - Returns: the field.
  public static func acceptLanguage(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Language", value: value)
  }

  /// `Authorization` with the Basic scheme (RFC 7617).
  ///
  /// - Parameters:
  ///   - username: the user's name, without a colon: the server takes the first one for the end of the name.
  ///   - password: the password.
  /// - Returns: the field.
  public static func authorization(username: String, password: String) -> HTTPHeader {
    authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
  }

  /// `Authorization` with the Bearer scheme (RFC 6750).
  ///
  /// - Parameter bearerToken: the token, as it is sent.
  /// - Returns: the field.
  public static func authorization(bearerToken: String) -> HTTPHeader {
    authorization("Bearer \(bearerToken)")
  }

  /// `Authorization` (RFC 9110, section 11.6.2).
  ///
  /// - Parameter value: the scheme and what it asks for.
  /// - Returns: the field.
  public static func authorization(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Authorization", value: value)
  }

  /// `Content-Disposition` (RFC 6266).
  ///
  /// - Parameter value: such as `form-data; name="a"`.
  /// - Returns: the field.
  public static func contentDisposition(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Content-Disposition", value: value)
  }

  /// `Content-Encoding`: how the content is compressed (RFC 9110, section 8.4).
  ///
  /// - Parameter value: such as `gzip`; the content has to be compressed already.
  /// - Returns: the field.
  public static func contentEncoding(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Content-Encoding", value: value)
  }

  /// `Content-Type`: the media type of the content (RFC 9110, section 8.3).
  ///
  /// - Parameter value: such as `application/json`.
  /// - Returns: the field.
  public static func contentType(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Content-Type", value: value)
  }

  /// `User-Agent` (RFC 9110, section 10.1.5).
  ///
  /// - Parameter value: such as `Crawler/2.1`.
  /// - Returns: the field.
  public static func userAgent(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "User-Agent", value: value)
  }

  /// `Sec-WebSocket-Protocol` (RFC 6455, section 11.3.4).
  ///
  /// - Parameter value: the protocol's name.
  /// - Returns: the field.
  public static func websocketProtocol(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Sec-WebSocket-Protocol", value: value)
  }
}

extension HTTPHeader {
  /// `Accept-Encoding` with Brotli, gzip and deflate, in that order.
  ///
  /// Not sent unless asked for: the transport offers what it can decode.
  public static let defaultAcceptEncoding = acceptEncoding(["br", "gzip", "deflate"].qualityEncoded())

  /// `Accept-Language` with the first six languages that the user prefers, as they were when this was first asked for.
  ///
  /// On Linux the environment names them: `LANGUAGE`, then the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set.
  public static let defaultAcceptLanguage: HTTPHeader = acceptLanguage(
    UserLanguages.preferred.prefix(6).qualityEncoded())

  /// `User-Agent` with the program's name, the system's and this library's version: `Crawler/2.1 (Linux) ReactiveNetwork/0.1.0`.
  ///
  /// The program's version is that of its bundle; without one, the name stands alone. Characters that a field cannot carry are left
  /// out.
  public static let defaultUserAgent: HTTPHeader = {
    func token(_ text: String) -> String {
      text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
    let name = token(ProcessInfo.processInfo.processName)
    let version = token(Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String ?? "")
    let program = (name.isEmpty ? "unknown" : name) + (version.isEmpty ? "" : "/\(version)")
    #if os(Linux)
      let system = "Linux"
    #elseif os(macOS)
      let system = "macOS"
    #else
      let system = "unknown"
    #endif
    return userAgent("\(program) (\(system)) ReactiveNetwork/\(LibraryVersion.current)")
  }()
}

extension Collection where Element == String {
  /// The elements as a list with falling weights (RFC 9110, section 12.4.2): `br;q=1.0, gzip;q=0.9`.
  ///
  /// From the tenth element on the weight stays at 0.1: 0 would mean "not acceptable".
  ///
  /// - Returns: the text of a field such as `Accept-Language`.
  public func qualityEncoded() -> String {
    enumerated()
      .map { index, element in index == 0 ? "\(element);q=1.0" : "\(element);q=0.\(Swift.max(1, 10 - index))"
      }
      .joined(separator: ", ")
  }
}

import Foundation

extension HTTPHeader {
  /// `Accept`: the accepted media types (RFC 9110, section 12.5.1).
  ///
  /// - Parameter value: such as `application/json`.
  /// - Returns: the field.
  public static func accept(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept", value: value)
  }

  /// `Accept-Charset`: the accepted character sets.
  ///
  /// - Parameter value: such as `utf-8`.
  /// - Returns: the field.
  public static func acceptCharset(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Charset", value: value)
  }

  /// `Accept-Encoding`: the accepted compressions (RFC 9110, section 12.5.3).
  ///
  /// - Parameter value: such as `gzip`. With this field, the transport decodes the codings that it
  ///   supports (`CurlTransport`: gzip, deflate and, if their libraries are installed, br and zstd) and delivers
  ///   a body of another coding as it is.
  /// - Returns: the field.
  public static func acceptEncoding(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Encoding", value: value)
  }

  /// `Accept-Language`: the accepted languages (RFC 9110, section 12.5.4).
  ///
  /// - Parameter value: such as `de, en;q=0.5`; see `qualityEncoded()`.
  /// - Returns: the field.
  public static func acceptLanguage(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Language", value: value)
  }

  /// `Authorization` with the Basic scheme (RFC 7617).
  ///
  /// - Parameters:
  ///   - username: the user's name, without a colon: the server reads the first colon as the end of the name.
  ///   - password: the password.
  /// - Returns: the field.
  public static func authorization(username: String, password: String) -> HTTPHeader {
    authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
  }

  /// `Authorization` with the Bearer scheme (RFC 6750).
  ///
  /// - Parameter bearerToken: the token, which is sent unchanged.
  /// - Returns: the field.
  public static func authorization(bearerToken: String) -> HTTPHeader {
    authorization("Bearer \(bearerToken)")
  }

  /// `Authorization` (RFC 9110, section 11.6.2).
  ///
  /// - Parameter value: the scheme and its parameters.
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

  /// `Content-Encoding`: the compression of the content (RFC 9110, section 8.4).
  ///
  /// - Parameter value: such as `gzip`. The content must already be compressed.
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
  /// It is sent only if you add it to a request; by default, and for a `Session` whose configuration has it, the
  /// transport offers the codings that it can decode.
  public static let defaultAcceptEncoding = acceptEncoding(["br", "gzip", "deflate"].qualityEncoded())

  /// `Accept-Language` with the user's first six preferred languages, determined at the first use.
  ///
  /// On Linux, environment variables name them: `LANGUAGE`, then the first of `LC_ALL`, `LC_MESSAGES` and
  /// `LANG` that is set.
  public static let defaultAcceptLanguage: HTTPHeader = acceptLanguage(
    UserLanguages.preferred.prefix(6).qualityEncoded())

  /// `User-Agent` with the names of program and system and this library's version.
  ///
  /// An example is `Crawler/2.1 (Linux) ReactiveNetwork/0.9.0`. The program's version is that of its bundle;
  /// without a bundle, only the program's name is sent. Characters that a field cannot carry are left out.
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
  /// Returns the elements as a list with decreasing weights, such as `br;q=1.0, gzip;q=0.9`.
  ///
  /// See RFC 9110, section 12.4.2. From the tenth element on, the weight stays at 0.1, because 0 would mean
  /// "not acceptable".
  ///
  /// - Returns: the value of a field such as `Accept-Language`.
  public func qualityEncoded() -> String {
    enumerated()
      .map { index, element in index == 0 ? "\(element);q=1.0" : "\(element);q=0.\(Swift.max(1, 10 - index))"
      }
      .joined(separator: ", ")
  }
}

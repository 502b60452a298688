extension TransportRequest {
  /// Returns the request in the form that is sent, with a URL in ASCII.
  ///
  /// A transport calls it in `start`, before it sends the request, and reports the error as the end of the
  /// transfer.
  ///
  /// - Parameter allowsUnixSockets: whether the transport supports `http+unix` URLs.
  /// - Returns: the request.
  /// - Throws: `TransferError.unsupportedURL`, or `.invalidField` for a method or a field that could forge
  ///   further fields or requests.
  public func validated(allowsUnixSockets: Bool = false) throws(TransferError) -> TransportRequest {
    var request = self
    if let refusal = request.normalizeAndValidate(allowsUnixSockets: allowsUnixSockets) { throw refusal }
    return request
  }

  /// Converts a URL with non-ASCII characters to the form that is sent, and validates the request.
  ///
  /// - Returns: the reason why the request must not be sent; `nil` if it may.
  package mutating func normalizeAndValidate(allowsUnixSockets: Bool = true) -> TransferError? {
    let refusal = validate(allowsUnixSockets: allowsUnixSockets)
    guard case .unsupportedURL? = refusal, let ascii = url.asciiURL else { return refusal }
    var sendable = self
    sendable.url = ascii
    if let other = sendable.validate(allowsUnixSockets: allowsUnixSockets) {
      // The error shows the URL as it was given.
      if case .unsupportedURL = other { return refusal }
      return other
    }
    self = sendable
    return nil
  }

  /// Returns the reason why the request must not be sent; `nil` if it may.
  ///
  /// Characters that RFC 9110 forbids in a method or field would let a value forge further fields or
  /// requests. The fields that frame the message belong to the transport: a field that contradicts the body
  /// could hide a second request in it.
  ///
  /// A transport that does not support Unix domain sockets passes `false` for `allowsUnixSockets`.
  func validate(allowsUnixSockets: Bool = true) -> TransferError? {
    guard method.rawValue.isToken, method != .connect else {
      return .invalidField(name: "method", value: method.rawValue)
    }
    guard url.isRequestable else { return .unsupportedURL(url) }
    if UnixSocketURL.matches(url), !allowsUnixSockets || UnixSocketURL(url) == nil {
      return .unsupportedURL(url)
    }
    for field in headers {
      guard field.canBeSent, isConsistentWithBody(field) else {
        return .invalidField(name: field.name, value: field.value)
      }
    }
    return nil
  }

  private func isConsistentWithBody(_ field: HTTPHeader) -> Bool {
    guard field.isNamed("content-length") else { return !field.isNamed("transfer-encoding") }
    return switch body {
    case .none: field.value == "0"
    case .data(let data): field.value == String(data.count)
    // Their real length is known when they are opened.
    case .file, .stream:
      field.value.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int64(field.value) != nil
    }
  }
}

extension HTTPHeader {
  /// Whether name and value have no characters that would forge another line.
  package var canBeSent: Bool { name.isToken && value.isFieldValue }

  /// Whether the field has the given name, in lower case; comparing the lengths first rules out most fields.
  package func isNamed(_ lowercased: StaticString) -> Bool {
    name.utf8.count == lowercased.utf8CodeUnitCount && name.withBytes { $0.hasLowercasedPrefix(lowercased) }
  }
}

extension String {
  fileprivate var isToken: Bool {
    !isEmpty && withBytes { $0.allSatisfy(\.isTokenCharacter) }
  }

  /// Whether the string has no control characters except tabs (RFC 9110, section 5.5).
  fileprivate var isFieldValue: Bool {
    withBytes { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
  }

  /// Whether the string is an absolute `http`, `https` or `http+unix` URL in ASCII, without characters that parsers
  /// interpret differently.
  ///
  /// A backslash ends the host for some parsers only; controls and spaces would break the request line.
  fileprivate var isRequestable: Bool {
    withBytes { bytes in
      guard let authority = Origin.authority(of: bytes), !authority.range.isEmpty else { return false }
      return bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
    }
  }
}

extension UInt8 {
  /// Whether the byte may be part of a token (RFC 9110, section 5.6.2).
  fileprivate var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}

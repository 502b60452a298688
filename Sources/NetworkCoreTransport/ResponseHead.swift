#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The head of a response: status and header fields.
///
/// A transport may pass the fields as the bytes that it received. They are parsed on access, because most
/// pipelines read only the status.
public struct ResponseHead: Sendable {
  private enum Fields: Sendable {
    case parsed(HTTPHeaders)
    case raw([UInt8])
  }

  /// The status code (RFC 9110, section 15).
  public let statusCode: Int
  /// The URL of the response: the request's own, or the last one after redirects.
  public let url: String
  /// The version of the response; `nil` if the transport does not know it.
  public let httpVersion: HTTPVersion?
  /// The method of the request that received this response, which a redirect may have changed; `nil` if the
  /// transport does not know it.
  public var method: HTTPMethod?
  private let fields: Fields
  /// Whether a cache has stored the response, so that no request has been sent for it.
  package var isStored = false
  /// The transfer, for a receiver that may have to pause it before `start` returns the token; set if the
  /// request has `TransportRequest.handsOverTransfer`.
  package var transfer: (any Transfer)?

  /// Creates a head from fields.
  public init(statusCode: Int, url: String, headers: HTTPHeaders, httpVersion: HTTPVersion? = nil) {
    self.statusCode = statusCode
    self.httpVersion = httpVersion
    self.url = url
    self.fields = .parsed(headers)
  }

  /// Creates a head from field lines as received: `name: value`, each ended by LF or CR LF.
  package init(statusCode: Int, url: String, httpVersion: HTTPVersion?, fieldLines: [UInt8]) {
    self.statusCode = statusCode
    self.httpVersion = httpVersion
    self.url = url
    self.fields = .raw(fieldLines)
  }

  /// The header fields in the order received; parsed on each access if the transport passed bytes.
  public var headers: HTTPHeaders {
    switch fields {
    case .parsed(let headers): headers
    case .raw(let bytes): HTTPHeaders(fieldLines: bytes)
    }
  }

  /// Whether a client that follows redirects goes on to another URL.
  var isRedirect: Bool { redirectTarget != nil }

  /// The URL reference to which the response redirects; `nil` if it does not redirect.
  ///
  /// Of several, the first with a value counts. Bytes that are not UTF-8 are percent-encoded.
  var redirectTarget: String? {
    guard Self.isRedirect(statusCode), let location = headers.first(where: \.isLocation)?.value else {
      return nil
    }
    guard let line = locationLine, String(validating: line, as: UTF8.self) == nil else { return location }
    let bytes = location.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return String(percentEncodingNonASCII: bytes)
  }

  /// The line of the target, because each of several may be in another encoding.
  ///
  /// `nil` if all lines are ASCII, or if the transport has passed no bytes.
  private var locationLine: ArraySlice<UInt8>? {
    guard case .raw(let bytes) = fields, bytes.contains(where: { $0 > 0x7F }) else { return nil }
    return bytes.split(separator: 0x0A).first { line in
      HTTPHeaders(fieldLines: Array(line)).contains(where: \.isLocation)
    }
  }

  /// Whether a response with this status redirects if it has a `Location`.
  package static func isRedirect(_ statusCode: Int) -> Bool {
    switch statusCode {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// The names, in lower case, of fields that were decoded as ISO 8859-1, because they are not UTF-8.
  package var latin1Fields: Set<String> {
    guard case .raw(let bytes) = fields, bytes.contains(where: { $0 > 0x7F }) else { return [] }
    return Set(
      bytes.split(separator: 0x0A).compactMap { line in
        guard String(validating: line, as: UTF8.self) == nil else { return nil }
        return String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
      })
  }

  /// The head as Foundation's type; `nil` if Foundation does not accept the URL; created on each access.
  public var httpURLResponse: HTTPURLResponse? {
    guard let url = URL(string: url) else { return nil }
    return HTTPURLResponse(
      url: url, statusCode: statusCode, httpVersion: (httpVersion ?? .http1_1).rawValue,
      headerFields: headers.dictionary)
  }
}

extension HTTPHeaders {
  /// Decodes bytes that are not UTF-8 as ISO 8859-1, RFC 9110's historical default, so that no byte is lost.
  ///
  /// Two deviations that servers still send are handled as RFC 9112 describes (sections 5.2 and 2.2): a
  /// continuation line belongs to the line before it, and a CR within a value becomes a space. A line without
  /// a name is ignored, and so are its continuation lines.
  init(fieldLines: [UInt8]) {
    func text(_ bytes: ArraySlice<UInt8>) -> String {
      let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == 0x0D }
      let trimmed = bytes.drop(while: blank)
      let end = trimmed.lastIndex { !blank($0) }.map { $0 + 1 } ?? trimmed.startIndex
      var content = trimmed[trimmed.startIndex..<end]
      if content.contains(0x0D) { content = ArraySlice(content.map { $0 == 0x0D ? 0x20 : $0 }) }
      return String(validating: content, as: UTF8.self)
        ?? String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
    }
    var fields: [HTTPHeader] = []
    var isIgnored = false
    for line in fieldLines.split(separator: 0x0A) {
      if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
        let more = text(line)
        if !more.isEmpty, !isIgnored, let last = fields.popLast() {
          let value = last.value.isEmpty ? more : last.value + " " + more
          fields.append(HTTPHeader(name: last.name, value: value))
        }
        continue
      }
      let colon = line.firstIndex(of: UInt8(ascii: ":"))
      let name = colon.map { text(line[..<$0]) } ?? ""
      isIgnored = name.isEmpty
      guard let colon, !isIgnored else { continue }
      fields.append(HTTPHeader(name: name, value: text(line[(colon + 1)...])))
    }
    self.init(received: fields)
  }

  /// Returns the lines of which `init(fieldLines:)` makes these fields.
  ///
  /// - Parameter latin1Fields: the names, in lower case, of fields that were received as ISO 8859-1.
  /// - Returns: the lines.
  func fieldLines(latin1Fields: Set<String>) -> [UInt8] {
    flatMap { field -> [UInt8] in
      var value = Array(field.value.utf8)
      let scalars = field.value.unicodeScalars
      if latin1Fields.contains(field.name.lowercased()), scalars.allSatisfy({ $0.value <= 0xFF }) {
        let bytes = scalars.map { UInt8(truncatingIfNeeded: $0.value) }
        // Of several values, some may have been received as UTF-8.
        if String(validating: bytes, as: UTF8.self) == nil { value = bytes }
      }
      return Array("\(field.name): ".utf8) + value + [0x0A]
    }
  }
}

extension HTTPHeader {
  fileprivate var isLocation: Bool { isNamed("location") && !value.isEmpty }
}

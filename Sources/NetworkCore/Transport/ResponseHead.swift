#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The head of an answer: status and header fields.
///
/// A transport may hand over the fields as the bytes that came over the wire: they are parsed when somebody asks,
/// since most pipelines look at the status alone.
public struct ResponseHead: Sendable {
  private enum Fields: Sendable {
    case parsed(HTTPHeaders)
    case raw([UInt8])
  }

  /// The status code (RFC 9110, section 15).
  public let statusCode: Int
  /// The URL that answered: the request's own, or the last one after redirects.
  public let url: String
  /// The version in which the server answered; `nil` where the transport does not tell.
  public let httpVersion: HTTPVersion?
  private let fields: Fields
  /// What can be paused from now on, for a receiver that must not wait for the token: `TransportRequest.handsOverTransfer`.
  var transfer: (any Transfer)?

  /// Makes a head from fields.
  public init(statusCode: Int, url: String, headers: HTTPHeaders, httpVersion: HTTPVersion? = nil) {
    self.statusCode = statusCode
    self.httpVersion = httpVersion
    self.url = url
    self.fields = .parsed(headers)
  }

  /// Makes a head from field lines as received: `name: value`, each ended by LF or CR LF.
  init(statusCode: Int, url: String, httpVersion: HTTPVersion?, fieldLines: [UInt8]) {
    self.statusCode = statusCode
    self.httpVersion = httpVersion
    self.url = url
    self.fields = .raw(fieldLines)
  }

  /// The header fields in the order received; parsed anew at each call where the transport handed over bytes.
  public var headers: HTTPHeaders {
    switch fields {
    case .parsed(let headers): headers
    case .raw(let bytes): HTTPHeaders(fieldLines: bytes)
    }
  }

  /// The head as Foundation's type, `nil` where the URL is not one that Foundation accepts; made anew at each call.
  public var httpURLResponse: HTTPURLResponse? {
    guard let url = URL(string: url) else { return nil }
    return HTTPURLResponse(
      url: url, statusCode: statusCode, httpVersion: (httpVersion ?? .http1_1).rawValue,
      headerFields: headers.dictionary)
  }
}

extension HTTPHeaders {
  /// Bytes that are not UTF-8 are read as ISO 8859-1, RFC 9110's historical default, so that none is lost.
  ///
  /// What RFC 9112 forbids and servers send all the same is read as it says: a continued line belongs to the one before it,
  /// a CR within a value is a blank. A field without a name is none.
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
    for line in fieldLines.split(separator: 0x0A) {
      if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
        let more = text(line)
        if let last = fields.popLast(), !more.isEmpty {
          fields.append(HTTPHeader(name: last.name, value: last.value + " " + more))
        }
        continue
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = text(line[..<colon])
      guard !name.isEmpty else { continue }
      fields.append(HTTPHeader(name: name, value: text(line[(colon + 1)...])))
    }
    self.init(received: fields)
  }
}

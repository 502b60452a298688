package import struct Foundation.Data
package import typealias Foundation.TimeInterval

/// A response as a cache stores it.
package struct StoredResponse: Sendable, Hashable {
  /// The data that is stored in addition to the body.
  struct Metadata: Codable, Hashable, Sendable {
    struct Field: Codable, Hashable, Sendable {
      var name: String
      var value: String?
    }

    /// The key of the requested URL.
    var url: String
    var statusCode: Int
    var httpVersion: String?
    var fields: [Field]
    /// The fields of the request that the response depends on, `Authorization` and `Cookie`; no value if the
    /// request did not have the field.
    ///
    /// `Host` is among them only if the request had it.
    var selecting: [Field]
    /// When the request was sent and when its response arrived, in seconds since 1970.
    var requestTime: TimeInterval
    var responseTime: TimeInterval
    /// The names of fields that were received as ISO 8859-1; `nil` for none.
    var latin1Fields: Set<String>?
  }

  var metadata: Metadata
  /// The body, decoded.
  package var body: Data

  init(metadata: Metadata, body: Data) {
    self.metadata = metadata
    self.body = body
  }

  /// Creates a stored response.
  ///
  /// `nil` if the response must not be stored, or could never be used (RFC 9111, section 3).
  package init?(
    to request: TransportRequest, head: ResponseHead, body: Data, requestTime: TimeInterval,
    responseTime: TimeInterval
  ) {
    let headers = head.headers
    guard request.method == .get, !CacheControl(request.headers).noStore else { return nil }
    // Most requests have no `Host` of their own; without it, the names of their files stay those of earlier versions.
    let host: [String] = request.headers["Host"] == nil ? [] : ["host"]
    let names = Set(Self.varying(headers) + ["authorization", "cookie"] + host).subtracting(["*"]).sorted()
    metadata = Metadata(
      url: request.url.cacheKey, statusCode: head.statusCode, httpVersion: head.httpVersion?.rawValue,
      fields: Self.storedFields(of: headers),
      selecting: names.map { Metadata.Field(name: $0, value: request.headers[$0]) },
      requestTime: requestTime, responseTime: responseTime, latin1Fields: Self.latin1Fields(of: head))
    self.body = body
    guard isStorable else { return nil }
  }

  private static func latin1Fields(of head: ResponseHead) -> Set<String>? {
    let names = head.latin1Fields
    return names.isEmpty ? nil : names
  }

  /// The URL under which it is stored.
  package var url: String { metadata.url }

  /// The header fields.
  package var headers: HTTPHeaders {
    HTTPHeaders(received: metadata.fields.map { HTTPHeader(name: $0.name, value: $0.value ?? "") })
  }

  /// Whether it may be used for a request with these fields (RFC 9111, section 4.1).
  package func matches(_ headers: HTTPHeaders) -> Bool {
    // A response that names no host belongs to that of its URL.
    if headers["Host"] != nil, !metadata.selecting.contains(where: { $0.name == "host" }) { return false }
    return metadata.selecting.allSatisfy { field in
      let value = headers[field.name]
      return Self.areSameBytes(value, field.value)
        || Self.areSameBytes(Self.normalized(value, field.name), Self.normalized(field.value, field.name))
    }
  }

  /// Whether two values have the same bytes; strings with different bytes may be equal.
  static func areSameBytes(_ value: String?, _ other: String?) -> Bool {
    if let value, let other { return value.utf8.elementsEqual(other.utf8) }
    return value == nil && other == nil
  }

  /// Returns a request field's value in a form that equivalent values share (RFC 9111, section 4.1).
  ///
  /// Blanks have no meaning in the fields of content negotiation, and case has none but in the parameters of media
  /// types. Many servers prefer the first of the languages or types, so only the order of the others has none.
  private static func normalized(_ value: String?, _ name: String) -> String? {
    guard let value else { return nil }
    guard !value.utf8.contains(UInt8(ascii: "\"")) else { return String(value.trimmed) }
    let compact = value.filter { $0 != " " && $0 != "\t" }
    return switch name {
    case "accept": compact
    case "accept-language": compact.lowercased()
    case "host": compact.lowercased()
    case "accept-charset", "accept-encoding":
      compact.lowercased().split(separator: ",").sorted().joined(separator: ",")
    default: String(value.trimmed)
    }
  }

  /// Whether it may be stored (RFC 9111, section 3): it is reusable for some time, and depends on known fields of
  /// the request.
  ///
  /// After an update, it may depend on others (`Vary`).
  var isStorable: Bool {
    Freshness(self).isStorable && Set(Self.varying(headers)).isSubset(of: metadata.selecting.map(\.name))
  }

  /// Whether it may be stored for, and used by, all transports that add this to the request.
  ///
  /// With cookies that the cache does not see, that is what a shared cache may store.
  func isUsable(with added: AddedCredentials) -> Bool {
    added.isEmpty
      || added == .cookies && !Self.varying(headers).contains("cookie") && !CacheControl(headers).isPrivate
  }

  /// Whether the request may have identified the user, by a field or in the URL; such a response is not
  /// written to disk.
  var isPersonal: Bool {
    metadata.selecting.contains { $0.value != nil && !Self.isHarmless($0.name) }
      || Redactor.standard.redacted(url: url) != url
  }

  /// Whether a field, in lower case, is known to hold no secret.
  private static func isHarmless(_ name: String) -> Bool {
    ["accept", "access-control-request-", "sec-ch-", "sec-fetch-"].contains { name.hasPrefix($0) }
      || ["host", "origin", "save-data", "user-agent", "x-requested-with"].contains(name)
  }

  /// Returns the names of the request fields that a response depends on, in lower case.
  private static func varying(_ headers: HTTPHeaders) -> [String] { names(in: headers["Vary"]) }

  /// Returns the names in a list of field names, in lower case.
  private static func names(in list: String?) -> [String] {
    list?.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0).trimmed.lowercased() } ?? []
  }

  /// Returns the fields of a response without those of its connection and of a proxy (RFC 9111, section 3.1).
  static func storedFields(of headers: HTTPHeaders) -> [Metadata.Field] {
    // A field that restricts the use of the response counts, even if `Connection` names it.
    var dropped = Set(names(in: headers["Connection"])).subtracting([
      "age", "cache-control", "date", "expires", "pragma", "vary",
    ])
    // The length does not count beside a transfer coding (RFC 9112, section 6.3).
    if headers["Transfer-Encoding"] != nil { dropped.insert("content-length") }
    return headers.filter { field in
      let name = field.name.lowercased()
      return !connectionFields.contains(name) && !dropped.contains(name)
    }.map { Metadata.Field(name: $0.name, value: $0.value) }
  }

  private static let connectionFields: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
    "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
  ]

  /// Whether a client that follows redirects would not use it, but go on to another URL.
  var isRedirect: Bool { (300..<400).contains(metadata.statusCode) && head(age: nil, to: url).isRedirect }

  /// Returns the head to deliver, with its age unless the server has revalidated it (RFC 9111, section 5.1).
  ///
  /// The URL is the requested one, not in the spelling of the key.
  func head(age: TimeInterval?, to url: String) -> ResponseHead {
    var headers = headers
    if let age { headers.update(name: "Age", value: String(Int(min(age, CacheControl.secondsLimit)))) }
    // A recipient adds the time of receipt when it passes on a response without a Date (RFC 9110, section 6.6.1).
    if headers["Date"] == nil {
      headers.update(name: "Date", value: HTTPDate.text(metadata.responseTime))
    }
    let version = metadata.httpVersion.flatMap(HTTPVersion.init(rawValue:))
    var head =
      if let latin1Fields = metadata.latin1Fields {
        ResponseHead(
          statusCode: metadata.statusCode, url: url, httpVersion: version,
          fieldLines: headers.fieldLines(latin1Fields: latin1Fields))
      } else {
        ResponseHead(statusCode: metadata.statusCode, url: url, headers: headers, httpVersion: version)
      }
    head.isStored = true
    return head
  }

  /// The approximate space in bytes that it takes in memory or on disk.
  var cost: Int {
    metadata.fields.reduce(body.count + metadata.url.utf8.count + 256) {
      $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 32
    }
  }
}

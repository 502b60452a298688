import Foundation

/// A request and its response as stored in a file.
struct RecordedExchange: Codable, Sendable {
  struct Field: Codable, Sendable {
    var name: String
    var value: String
  }

  /// The parts of a request that select its response, without its secrets.
  struct Key: Codable, Hashable, Sendable {
    var method: String
    /// The URL without user, password and secret parameters.
    var url: String
    /// The SHA-256 digest of the body; `nil` if there is none, or the body is read while it is sent.
    var body: String?
    /// The protocol that the request asks the server to switch to; `nil` for HTTP.
    var upgrade: String?

    init(_ request: TransportRequest, _ redactor: Redactor) {
      method = request.method.rawValue
      url = redactor.redacted(url: request.url)
      if case .data(let data) = request.body { body = SHA256.hex(data) }
      if request.upgradesConnection { upgrade = request.headers["Upgrade"]?.lowercased() }
    }

    /// A digest that is the same in every run.
    var digest: String {
      SHA256.hex("\(method) \(url) \(body ?? "")\(upgrade.map { " \($0)" } ?? "")".utf8)
    }
  }

  var request: Key
  /// The index among equal requests, from 0, in the order in which they were started; some may have no response.
  var number: Int
  var statusCode: Int
  /// The URL of the response, after redirects, without its secrets.
  var url: String
  var headers: [Field]
  /// The body as text if it is valid UTF-8, for readers of the file.
  var text: String?
  var data: Data?
  /// What the server sent after it had switched to the protocol; `nil` if it did not.
  var webSocket: RecordedWebSocket?
  /// The parameters of URLs that are no secrets in this recording, although their names suggest it.
  var publicParameters: [String]?

  init(
    _ key: Key, number: Int, head: ResponseHead, body: Data, omitting names: [String], _ redactor: Redactor
  ) {
    request = key
    self.number = number
    statusCode = head.statusCode
    url = redactor.redacted(url: head.url)
    headers = head.headers.filter { field in !names.contains { $0.equalsIgnoringASCIICase(field.name) } }
      .map { field in
        // Cookies are written if the caller does not omit them: a replay of a login needs them.
        let isCookie = field.isNamed("set-cookie")
        return Field(
          name: field.name, value: isCookie ? redactor.redacted(text: field.value) : redactor.redacted(field))
      }
    text = String(validating: body, as: UTF8.self)
    data = text == nil ? body : nil
  }

  var fileName: String { "\(request.digest)-\(number).json" }

  /// Returns the files in a folder that have the extension of recordings.
  static func files(in folder: URL) throws(RecordingError) -> [URL] {
    do {
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "json" }
    } catch {
      throw .cannotRead(path: folder.path, reason: error.localizedDescription)
    }
  }

  /// Returns the head of the response to a request.
  func head(for request: TransportRequest) -> ResponseHead {
    ResponseHead(
      statusCode: statusCode, url: url == self.request.url ? request.url : url,
      headers: HTTPHeaders(
        received: headers.map { HTTPHeader(name: $0.name, value: value(of: $0, for: request)) }))
  }

  /// The value of a field; the server's proof that it has read the key of a handshake is made anew.
  private func value(of field: Field, for request: TransportRequest) -> String {
    if field.name.equalsIgnoringASCIICase("Link") { return field.value.encodingMasksOfURLs }
    guard let webSocket, let key = request.headers["Sec-WebSocket-Key"],
      field.name.equalsIgnoringASCIICase("Sec-WebSocket-Accept"),
      field.value == SHA1.webSocketAccept(forKey: webSocket.key)
    else { return field.value }
    return SHA1.webSocketAccept(forKey: key)
  }

  var body: Data { data ?? Data((text ?? "").utf8) }
}

extension String {
  /// The value of a `Link` field with encoded masks, because the `>` of a mask would end the URL that contains it.
  ///
  /// A request for such a URL is masked again before it is compared with the recorded ones.
  fileprivate var encodingMasksOfURLs: String {
    ["=", "://"].reduce(self) { $0.replacing($1 + Redactor.mask, with: $1 + "%3Credacted%3E") }
  }
}

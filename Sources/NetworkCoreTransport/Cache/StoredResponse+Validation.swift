package import Foundation

extension StoredResponse {
  /// Returns the response to a request with conditions: this one, or a 304 (RFC 9111, section 4.3.2).
  func evaluating(_ request: TransportRequest) -> StoredResponse {
    let headers = headers
    let isCurrent: Bool
    if let condition = request.headers["If-None-Match"] {
      let tags = Self.tags(condition)
      isCurrent =
        condition.trimmed == "*" || headers["ETag"].map { !tags.isDisjoint(with: Self.tags($0)) } ?? false
    } else {
      // Without a date of its own, the time of receipt, in the whole seconds of the Date that is delivered.
      let own = headers["Last-Modified"] ?? headers["Date"] ?? HTTPDate.text(metadata.responseTime)
      let dates = [request.headers["If-Modified-Since"], own]
        .compactMap { $0.flatMap { HTTPDate.seconds($0, now: metadata.responseTime) } }
      isCurrent = dates.count == 2 && dates[1] <= dates[0]
    }
    guard isCurrent, (200..<300).contains(metadata.statusCode) else { return self }
    var copy = self
    copy.metadata.statusCode = 304
    copy.metadata.fields.removeAll { field in
      let name = field.name.lowercased()
      return name.hasPrefix("content-") && name != "content-location" || name == "transfer-encoding"
    }
    copy.body = Data()
    return copy
  }

  /// The entity tags of a field, without their quotation marks and their weakness.
  private static func tags(_ value: String) -> Set<[UInt8]> {
    let parts = value.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    // Every second part is between quotation marks; the last one lacks the closing mark if their number is odd.
    return Set(stride(from: 1, to: parts.count - 1, by: 2).map { Array(parts[$0]) })
  }

  /// Whether two `ETag` fields name the same entity tags; a server may send the field in several lines.
  private static func areSameTags(_ value: String, _ other: String) -> Bool {
    let (tags, others) = (Self.tags(value), Self.tags(other))
    // Some servers send no quotation marks.
    guard !tags.isEmpty || !others.isEmpty else {
      return value.withoutWeakness.utf8.elementsEqual(other.withoutWeakness.utf8)
    }
    return tags == others
  }

  /// Returns the request that revalidates the response; `nil` if the response has no validator.
  func revalidating(_ request: TransportRequest) -> TransportRequest? {
    let conditions = [("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")].compactMap {
      name, source in
      headers[source].map { HTTPHeader(name: name, value: $0) }
    }.filter(\.canBeSent)
    guard !conditions.isEmpty else { return nil }
    var conditional = request
    for condition in conditions { conditional.headers.update(condition) }
    conditional.hasConditionsOfCache = true
    // The server knows only the bytes that it sent.
    if metadata.latin1Fields?.contains("etag") == true { conditional.latin1Fields = ["if-none-match"] }
    return conditional
  }

  /// Returns the response updated with the fields of a 304 (RFC 9111, section 3.2); `nil` if the 304 is about
  /// another response.
  package func updated(
    by head: ResponseHead, requestTime: TimeInterval, responseTime: TimeInterval
  ) -> StoredResponse? {
    let new = head.headers
    if let tag = new["ETag"], let own = headers["ETag"], !Self.areSameTags(tag, own) { return nil }
    var copy = self
    // A response without a tag gets none: the resource may have changed twice in the second of Last-Modified, and the
    // tag of the later version would confirm the earlier body from then on (RFC 9111, section 4.3.4).
    let untagged = headers["ETag"] == nil ? ["etag"] : []
    let kept = ["content-length", "content-encoding", "content-range"] + untagged
    let news = Self.storedFields(of: new).filter { field in !kept.contains(field.name.lowercased()) }
    copy.metadata.fields.removeAll { old in news.contains { $0.name.equalsIgnoringASCIICase(old.name) } }
    copy.metadata.fields += news
    let newNames = Set(news.map { $0.name.lowercased() })
    let latin1Fields = (metadata.latin1Fields ?? []).subtracting(newNames)
      .union(head.latin1Fields.intersection(newNames))
    copy.metadata.latin1Fields = latin1Fields.isEmpty ? nil : latin1Fields
    // Otherwise the age would continue from that of the first response. A response without a Date counts as sent when
    // it arrives (RFC 9110, section 6.6.1).
    for name in ["Age", "Date"] where new[name] == nil {
      copy.metadata.fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
    }
    (copy.metadata.requestTime, copy.metadata.responseTime) = (requestTime, responseTime)
    return copy
  }

  /// What a response to HEAD says about a stored response (RFC 9111, section 4.3.5).
  enum Description {
    /// It describes the stored response, which is still current.
    case current
    /// It describes another response, so the stored one is outdated.
    case outdated
    /// Nothing in it tells.
    case unknown
  }

  /// Returns what a response to HEAD says about this response.
  func description(by head: ResponseHead) -> Description {
    guard head.statusCode == metadata.statusCode else { return .outdated }
    let validators = ["ETag", "Last-Modified"].filter { head.headers[$0] != nil }
    let size = headers["Content-Encoding"] == nil ? "\(body.count)" : nil
    if let said = head.headers["Content-Length"], let own = headers["Content-Length"] ?? size, said != own {
      return .outdated
    }
    guard validators.allSatisfy({ Self.areSameBytes(head.headers[$0], headers[$0]) }) else {
      return .outdated
    }
    return validators.isEmpty ? .unknown : .current
  }
}

extension String {
  fileprivate var withoutWeakness: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}

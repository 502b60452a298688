internal import Foundation

extension StoredResponse {
  /// Returns the part of a complete response that `Range` asks for (RFC 9110, section 14.2).
  ///
  /// `nil` if that is not one range of bytes that the body has. The ranges of an encoded response count bytes
  /// that are not stored.
  func part(_ range: String) -> StoredResponse? {
    if metadata.statusCode == 304 { return self }
    guard metadata.statusCode == 200, headers["Content-Encoding"] == nil,
      let bounds = Self.bounds(range, in: body.count)
    else { return nil }
    var copy = self
    copy.metadata.statusCode = 206
    // They describe the whole content.
    let outdated = ["content-length", "content-range", "content-digest", "content-md5"]
    copy.metadata.fields.removeAll { outdated.contains($0.name.lowercased()) }
    copy.metadata.fields += [
      .init(name: "Content-Length", value: "\(bounds.count)"),
      .init(
        name: "Content-Range", value: "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(body.count)"),
    ]
    copy.body = Data(body.dropFirst(bounds.lowerBound).prefix(bounds.count))
    return copy
  }

  /// Returns the bytes that `Range` asks for, of so many; `nil` if there are none or it asks for several ranges.
  private static func bounds(_ range: String, in count: Int) -> Range<Int>? {
    let parts = range.split(separator: "=", omittingEmptySubsequences: false).map(\.trimmed)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
      return nil
    }
    switch (Int(ends[0]), Int(ends[1])) {
    case (let first?, let last?) where first <= last && first < count: return first..<min(last, count - 1) + 1
    case (let first?, nil) where ends[1].isEmpty && first < count: return first..<count
    case (nil, let length?) where ends[0].isEmpty && length > 0 && count > 0:
      return max(0, count - length)..<count
    default: return nil
    }
  }
}

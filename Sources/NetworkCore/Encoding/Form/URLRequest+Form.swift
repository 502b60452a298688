#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
#else
  import Foundation
#endif

extension URLRequest {
  /// Writes `key=value&key=value`, already escaped, to the query or the body.
  mutating func write(
    form text: String, to destination: URLEncoding.Destination
  ) throws(ParameterEncodingError) {
    if destination.writesQuery(for: httpMethod) {
      guard let url else { throw .missingURL }
      if !text.isEmpty { self.url = try url.appending(query: text) }
    } else {
      setDefaultContentType("application/x-www-form-urlencoded; charset=utf-8")
      httpBody = Data(text.utf8)
    }
  }
}

extension URL {
  /// Returns the URL with `text`, already escaped, appended to its query.
  func appending(query text: String) throws(ParameterEncodingError) -> URL {
    guard !text.isEmpty else { return self }
    let url = absoluteString
    // Bytes instead of characters, because a search for characters takes ten times as long.
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    let head = url.utf8[..<end]
    let separator = head.contains(UInt8(ascii: "?")) ? (head.last == UInt8(ascii: "?") ? "" : "&") : "?"
    let joined = url[..<end] + separator + text + url[end...]
    guard let result = URL(string: String(joined)) else { throw .invalidURL(String(joined)) }
    return result
  }
}

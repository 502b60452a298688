import Foundation

/// Which header fields hold what must not be shown.
struct SecretFields: Sendable {
  private static let mask = "<redacted>"
  static let none = SecretFields(names: [])

  let names: [String]

  /// A field's value, or the mask where that is secret.
  func shown(_ field: HTTPHeader) -> String {
    names.contains { $0.equalsIgnoringASCIICase(field.name) } ? Self.mask : field.value
  }

  /// A URL, a password in it masked where anything is secret.
  func shown(_ url: String) -> String {
    guard !names.isEmpty, let scheme = url.range(of: "://") else { return url }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else {
      return url
    }
    return url[...colon] + Self.mask + url[at...]
  }
}

import Foundation

/// Hides secrets where text is made of requests, answers, errors and settings.
///
/// Values that programs read stay as they are; every text that people may read goes through here.
package struct Secrets: Sendable {
  /// What stands in the place of a secret.
  package static let mask = "<redacted>"
  /// What errors and descriptions hide, and logs unless they are told otherwise.
  package static let standard = Secrets(names: NetworkLoggerPlugin.Configuration.defaultRedactedHeaderFields)
  /// Hides nothing.
  static let none = Secrets(names: [])

  /// The names of the header fields that hold secrets; none hides nothing at all.
  let names: [String]

  /// The parameters of a query or fragment that hold secrets, in lower case and without `-` and `_`.
  private static let parameters: Set<String> = [
    "accesstoken", "apikey", "appsecret", "authtoken", "clientassertion", "clientsecret", "idtoken", "passwd",
    "password", "refreshtoken", "secret", "sessiontoken", "sig", "signature", "token", "xamzsecuritytoken",
    "xamzsignature", "xgoogsignature",
  ]

  /// A field's value, or the mask if that is secret.
  func shown(_ field: HTTPHeader) -> String {
    names.contains { $0.equalsIgnoringASCIICase(field.name) } ? Self.mask : shown(text: field.value)
  }

  /// A field that cannot be sent; its name may hold what makes it so, blanks or a whole field.
  func shown(invalid field: HTTPHeader) -> (name: String, value: String) {
    let name = shown(text: field.name)
    let lowercased = field.name.lowercased()
    let isSecret = names.contains { lowercased.contains($0.lowercased()) }
    if isSecret { return (name, Self.mask) }
    return (name, lowercased == "url" ? shown(url: field.value) : shown(text: field.value))
  }

  /// A URL, well-formed or not, without user, password and secret parameters.
  package func shown(url: String) -> String {
    guard !names.isEmpty else { return url }
    let start = url.firstRange(of: "://")?.upperBound
    let text = start.map { maskingUser(in: url, from: $0, orAnywhere: true) }
    // Without a scheme, what stands before an @ may be anything.
    return shown(text: text ?? url.lastIndex(of: "@").map { Self.mask + url[$0...] } ?? url)
  }

  /// A text, in which the URLs lose user, password and secret parameters, and secret fields their values.
  package func shown(text: String) -> String {
    guard !names.isEmpty else { return text }
    var text = text
    var start = text.startIndex
    while let separator = text[start...].firstRange(of: "://") {
      let count = text.distance(from: text.startIndex, to: separator.upperBound)
      text = maskingUser(in: text, from: separator.upperBound, orAnywhere: false)
      start = text.index(text.startIndex, offsetBy: count)
    }
    if text.contains("=") { text = maskingParameters(of: text) }
    if text.contains(":") { text = maskingFields(of: text) }
    return text
  }

  /// Masks what stands before the host of a URL whose authority begins at a place.
  ///
  /// A password with a slash or a question mark ends the authority early, and what comes then is not a port.
  private func maskingUser(in text: String, from start: String.Index, orAnywhere: Bool) -> String {
    let rest = text[start...].prefix { orAnywhere || !($0.isWhitespace || "\"<>".contains($0)) }
    let authority = rest.prefix { !"/?#".contains($0) }
    let port = authority.lastIndex(of: ":").map { authority[authority.index(after: $0)...] } ?? ""
    let isWhole = authority.hasSuffix("]") || port.allSatisfy(\.isNumber)
    let at = authority.lastIndex(of: "@") ?? (isWhole ? nil : rest.lastIndex(of: "@"))
    return at.map { text[..<start] + Self.mask + text[$0...] } ?? text
  }

  private func maskingParameters(of text: String) -> String {
    var masked = ""
    var rest = text[...]
    while let mark = rest.firstIndex(where: { "?&;#".contains($0) }) {
      let next = rest.index(after: mark)
      masked += rest[..<next]
      rest = rest[next...]
      let name = rest.prefix { $0.isLetter || $0.isNumber || "-_.".contains($0) }
      guard rest[name.endIndex...].first == "=",
        Self.parameters.contains(name.lowercased().filter { $0 != "-" && $0 != "_" })
      else { continue }
      let value = rest[name.endIndex...].prefix { !("&;#\"<>".contains($0) || $0.isWhitespace) }
      masked += name + "=" + Self.mask
      rest = rest[value.endIndex...]
      // What has been masked before.
      if rest.hasPrefix(Self.mask) { rest = rest.dropFirst(Self.mask.count) }
    }
    return masked + rest
  }

  /// Masks `Authorization: …` up to the end of the line, and the like.
  private func maskingFields(of text: String) -> String {
    var text = text
    for name in names {
      var start = text.startIndex
      while let found = text[start...].range(of: name + ":", options: .caseInsensitive) {
        let value = text[found.upperBound...].prefix { !$0.isNewline }
        let count = text.distance(from: text.startIndex, to: found.upperBound)
        text.replaceSubrange(value.startIndex..<value.endIndex, with: " " + Self.mask)
        start = text.index(text.startIndex, offsetBy: count)
      }
    }
    return text
  }
}

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
    // Without a scheme, what stands before an @ may be anything.
    guard let start = url.firstRange(of: "://")?.upperBound else {
      return shown(text: url.lastIndex(of: "@").map { Self.mask + url[$0...] } ?? url)
    }
    let host = Self.host(in: url[start...], behind: url[..<start], lastAt: url[start...].lastIndex(of: "@"))
    return shown(text: host.map { url[..<start] + Self.mask + url[$0...] } ?? url)
  }

  /// A text, in which the URLs lose user, password and secret parameters, and secret fields their values.
  ///
  /// Takes time in proportion to the length: a server chooses much of what is shown.
  package func shown(text: String) -> String {
    guard !names.isEmpty else { return text }
    var text = maskingUsers(of: text)
    if text.contains("=") { text = maskingParameters(of: text) }
    if text.contains(":") { text = maskingFields(of: text) }
    return text
  }

  private func maskingUsers(of text: String) -> String {
    var masked = ""
    var rest = text[...]
    /// Where the word ends that was looked at last, and the last @ in it.
    var word: (end: String.Index, at: String.Index?) = (text.startIndex, nil)
    while let separator = rest.firstRange(of: "://") {
      masked += rest[..<separator.upperBound]
      rest = rest[separator.upperBound...]
      if rest.startIndex >= word.end {
        let found = rest.prefix { !($0.isWhitespace || "\"<>".contains($0)) }
        word = (found.endIndex, found.lastIndex(of: "@"))
      }
      let at = word.at.flatMap { $0 >= rest.startIndex ? $0 : nil }
      if let host = Self.host(in: rest[..<word.end], behind: masked[...], lastAt: at) {
        masked += Self.mask
        rest = rest[host...]
      }
    }
    return masked + rest
  }

  /// Where the host begins, with its @, in a URL without its scheme; `nil` if nothing stands before it.
  ///
  /// A password with a slash or a question mark ends the authority early, and what comes then is not a port. So does a slash too
  /// many, but in the URL of a file.
  private static func host(
    in url: Substring, behind scheme: Substring, lastAt: String.Index?
  ) -> String.Index? {
    let authority = url.prefix { !"/?#".contains($0) }
    let port = authority.lastIndex(of: ":").map { authority[authority.index(after: $0)...] } ?? ""
    let isWhole =
      authority.isEmpty
      ? scheme.hasSuffix("file://") : authority.hasSuffix("]") || port.allSatisfy(\.isNumber)
    return authority.lastIndex(of: "@") ?? (isWhole ? nil : lastAt)
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
      var masked = ""
      var rest = text[...]
      while let found = rest.range(of: name + ":", options: .caseInsensitive) {
        masked += rest[..<found.upperBound] + " " + Self.mask
        rest = rest[found.upperBound...].drop { !$0.isNewline }
      }
      text = masked + rest
    }
    return text
  }
}

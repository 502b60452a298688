import Foundation

/// Hides secrets in the texts of requests, responses, errors and settings.
///
/// Values that programs read stay unchanged; every text that people may read passes through this type.
package struct Redactor: Sendable {
  /// The replacement for a secret.
  package static let mask = "<redacted>"
  /// The fields whose values are secret.
  package static let secretFields = [
    "Authorization", "Api-Key", "ApiKey", "Cookie", "Ocp-Apim-Subscription-Key", "Private-Token",
    "Proxy-Authorization", "Set-Cookie", "X-Access-Token", "X-Amz-Security-Token", "X-Api-Key", "X-Auth-Key",
    "X-Auth-Token", "X-Goog-Api-Key", "X-Vault-Token",
  ]
  /// Hides the secrets that errors and descriptions always hide, and that logs hide by default.
  package static let standard = Redactor(names: secretFields)
  /// Hides nothing.
  package static let none = Redactor(names: [])

  /// The names of the header fields that hold secrets; an empty list hides nothing at all.
  package let names: [String]
  /// The parameters that are no secrets here, although their names suggest it.
  private let publicParameters: Set<String>

  /// Creates a redactor; an empty list of names hides nothing at all.
  package init(names: [String], publicParameters: some Collection<String> = []) {
    self.names = names
    self.publicParameters = Set(publicParameters.map { Self.plainName(ofParameter: $0[...]) })
  }

  /// The parameters of a query or fragment that hold secrets, in lower case and without `-` and `_`.
  ///
  /// Many services accept a secret field as a parameter, too.
  private static let parameters = Set(secretFields.map { plainName(ofParameter: $0[...]) }).union([
    "accesstoken", "apitoken", "appsecret", "authtoken", "awsaccesskeyid", "clientassertion", "clientsecret",
    "code", "idtoken", "jwt", "key", "oauthtoken", "passwd", "password", "pwd", "refreshtoken", "secret",
    "sessiontoken", "sig", "signature", "subscriptionkey", "token", "xamzsignature", "xgoogsignature",
  ])

  /// Returns a field's value, or the mask if the value is secret.
  package func redacted(_ field: HTTPHeader) -> String {
    names.contains { $0.equalsIgnoringASCIICase(field.name) } ? Self.mask : redacted(text: field.value)
  }

  /// Returns the name and value of a field that cannot be sent.
  ///
  /// The name may contain the reason: spaces, or a whole field.
  package func redacted(invalid field: HTTPHeader) -> (name: String, value: String) {
    let name = redacted(text: field.name)
    let lowercased = field.name.lowercased()
    let isSecret = names.contains { lowercased.contains($0.lowercased()) }
    if isSecret { return (name, Self.mask) }
    return (name, lowercased == "url" ? redacted(url: field.value) : redacted(text: field.value))
  }

  /// Returns a URL, well-formed or not, without user, password and secret parameters.
  package func redacted(url: String) -> String {
    guard !names.isEmpty else { return url }
    // Without a scheme, the text before an @ may be anything, so all of it is hidden.
    guard let start = url.firstRange(of: "://")?.upperBound else {
      return redacted(text: url.lastIndex(of: "@").map { Self.mask + url[$0...] } ?? url)
    }
    let host = Self.host(in: url[start...], behind: url[..<start], lastAt: url[start...].lastIndex(of: "@"))
    return redacted(text: host.map { url[..<start] + Self.mask + url[$0...] } ?? url)
  }

  /// Returns a text in which URLs lose user, password and secret parameters, and secret fields their values.
  ///
  /// Takes time in proportion to the length, because a server chooses much of the text.
  package func redacted(text: String) -> String {
    guard !names.isEmpty else { return text }
    var text = maskingUsers(of: text)
    let mayAssign = text.contains("=")
    if mayAssign { text = maskingParameters(of: text) }
    if mayAssign || text.contains(":") { text = maskingFields(of: text) }
    return text
  }

  private func maskingUsers(of text: String) -> String {
    var masked = ""
    var rest = text[...]
    /// The end of the last inspected word, and the last @ in that word.
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

  /// Returns the index of the host, including its @, in a URL without its scheme.
  ///
  /// Returns `nil` if nothing precedes the host. A password with a slash or a question mark ends the
  /// authority early; the text after the colon is then not a port. An additional slash also ends it early,
  /// except in the URL of a file.
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
      let name = rest.prefix { $0.isLetter || $0.isNumber || "-_.[]%".contains($0) }
      guard rest[name.endIndex...].first == "=", isSecret(parameter: name) else { continue }
      let value = rest[name.endIndex...].prefix { !("&;#\"<>".contains($0) || $0.isWhitespace) }
      masked += name + "=" + Self.mask
      rest = rest[value.endIndex...]
      // The value may already be masked.
      if rest.hasPrefix(Self.mask) { rest = rest.dropFirst(Self.mask.count) }
    }
    return masked + rest
  }

  private func isSecret(parameter name: Substring) -> Bool {
    let name = Self.plainName(ofParameter: name)
    return Self.parameters.contains(name) && !publicParameters.contains(name)
  }

  /// The last part of a parameter's name, as in `user[password]`, as the list of secret parameters has it.
  private static func plainName(ofParameter name: Substring) -> String {
    let decoded = String(name).removingPercentEncoding ?? String(name)
    let last = decoded.split(whereSeparator: { "[].".contains($0) }).last ?? ""
    return last.lowercased().filter { $0 != "-" && $0 != "_" }
  }

  /// Returns what follows the name of a field and its `:` or ` =`; `nil` if there is none of these.
  private static func value(after name: Substring) -> Substring? {
    // A text within a text has backslashes before its quotation marks, and Swift prints a key as `AnyHashable("…")`.
    let sign = name.drop { "\"'\\) ".contains($0) }
    let isAssigned = sign.first == "=" && sign.startIndex > name.startIndex
    return sign.first == ":" || isAssigned ? sign.dropFirst() : nil
  }

  /// Masks secret fields, such as `Authorization: …`, `"Authorization": "…"` or `"Set-Cookie" = …`, up to the end of
  /// the line.
  private func maskingFields(of text: String) -> String {
    var text = text
    for name in names {
      var masked = ""
      var rest = text[...]
      while let found = rest.range(of: name, options: .caseInsensitive) {
        let value = Self.value(after: rest[found.upperBound...])
        masked += rest[..<(value?.startIndex ?? found.upperBound)]
        if value != nil { masked += " " + Self.mask }
        rest = value.map { $0.drop { !$0.isNewline } } ?? rest[found.upperBound...]
      }
      text = masked + rest
    }
    return text
  }
}

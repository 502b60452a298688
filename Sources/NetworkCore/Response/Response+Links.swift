public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Response {
  /// The URLs of related pages by relation, such as `links["next"]` (RFC 8288, the `Link` field).
  ///
  /// Relative links are resolved against `url`, the URL of the response. If several links have the same
  /// relation, the first one counts. Malformed links are ignored, and so are links whose `anchor` names
  /// another resource. Links with a scheme other than `http` and
  /// `https` are also ignored, because a server must not lead its client to a Unix domain socket or a file.
  /// For the same reason a response from such a socket has no relative links.
  ///
  /// A link may lead to another origin. Check the origin before you send credentials there; `paginate` of
  /// `provider.rx` refuses such links by default.
  public var links: [String: URL] {
    var links: [String: URL] = [:]
    let base = url
    for field in headers where field.name.lowercased() == "link" {
      for link in LinkField(field.value).links {
        guard let url = URL(string: link.target, relativeTo: base)?.absoluteURL,
          let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
          link.isAbout(base)
        else { continue }
        for relation in link.relations where links[relation] == nil { links[relation] = url }
      }
    }
    return links
  }
}

/// The value of a `Link` field (RFC 8288, section 3).
private struct LinkField {
  struct Link {
    var target: String
    var relations: [String] = []
    /// The resource that the link is about, if it is named (section 3.2).
    var anchor: String?

    /// Returns whether the link is about a resource with this URL.
    func isAbout(_ url: URL?) -> Bool {
      guard let anchor, !anchor.isEmpty else { return true }
      guard let url, let named = URL(string: anchor, relativeTo: url) else { return false }
      // A part of the resource is another one; the fragment of the request says nothing about the response.
      return named.fragment == nil && named.absoluteString.cacheKey == url.absoluteString.cacheKey
    }
  }

  // Scalars instead of characters, because a quotation mark and a combining mark after it are one character.
  private var rest: Substring.UnicodeScalarView
  private(set) var links: [Link] = []

  init(_ value: String) {
    rest = value[...].unicodeScalars
    while let link = readLink() { links.append(link) }
  }

  /// Parses `<target>; name=value; name="value"` and the comma after it.
  private mutating func readLink() -> Link? {
    guard let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") else {
      return nil
    }
    var hasRelation = false
    var link = Link(target: String(rest[rest.index(after: start)..<end]))
    rest = rest[end...].dropFirst().drop(while: \.properties.isWhitespace)
    while rest.first == ";" {
      rest = rest.dropFirst().drop(while: \.properties.isWhitespace)
      let (name, value) = readParameter()
      if name == "anchor", link.anchor == nil { link.anchor = value }
      // Only the first `rel` counts (section 3.3).
      if name == "rel", !hasRelation {
        hasRelation = true
        link.relations = value.lowercased().split(separator: " ").map(String.init)
      }
    }
    // Skips anything before the next link.
    rest = rest.drop { $0 != "," }.dropFirst()
    return link
  }

  private mutating func readParameter() -> (name: String, value: String) {
    let name = rest.prefix { !"=;,".unicodeScalars.contains($0) }
    rest = rest[name.endIndex...]
    var value = ""
    if rest.first == "=" {
      rest = rest.dropFirst().drop(while: \.properties.isWhitespace)
      value = rest.first == "\"" ? readQuoted() : readToken()
    }
    rest = rest.drop(while: \.properties.isWhitespace)
    return (String(name).trimmingCharacters(in: .whitespaces).lowercased(), value)
  }

  private mutating func readToken() -> String {
    let token = rest.prefix { !";,".unicodeScalars.contains($0) }
    rest = rest[token.endIndex...]
    return String(token).trimmingCharacters(in: .whitespaces)
  }

  private mutating func readQuoted() -> String {
    var value = String.UnicodeScalarView()
    rest = rest.dropFirst()
    while let scalar = rest.popFirst(), scalar != "\"" {
      value.append(scalar == "\\" ? rest.popFirst() ?? "\\" : scalar)
    }
    return String(value)
  }
}

public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Response {
  /// Where the server says that related pages are, by relation: `links["next"]` (RFC 8288, the `Link` field).
  ///
  /// Relative ones are resolved against `url`, the URL that answered. Of several links with one relation the first counts. Links
  /// that are malformed, and those with a scheme other than `http` and `https`, are left out: a server must not lead its client to
  /// a Unix domain socket or a file. So an answer from such a socket has no relative links either.
  ///
  /// A link may lead to another origin. Send no credentials there without a look at it; `paginate` of `provider.rx` refuses to.
  public var links: [String: URL] {
    var links: [String: URL] = [:]
    let base = url
    for field in headers where field.name.lowercased() == "link" {
      for link in LinkField(field.value).links {
        guard let url = URL(string: link.target, relativeTo: base)?.absoluteURL,
          let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme)
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
  }

  private var rest: Substring
  private(set) var links: [Link] = []

  init(_ value: String) {
    rest = value[...]
    while let link = readLink() { links.append(link) }
  }

  /// Reads `<target>; name=value; name="value"` and the comma after it.
  private mutating func readLink() -> Link? {
    guard let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") else {
      return nil
    }
    var link = Link(target: String(rest[rest.index(after: start)..<end]))
    rest = rest[end...].dropFirst().drop(while: \.isWhitespace)
    while rest.first == ";" {
      rest = rest.dropFirst().drop(while: \.isWhitespace)
      let (name, value) = readParameter()
      // Only the first counts (section 3.3).
      if name == "rel", link.relations.isEmpty {
        link.relations = value.lowercased().split(separator: " ").map(String.init)
      }
    }
    // Up to the next link, whatever is there.
    rest = rest.drop { $0 != "," }.dropFirst()
    return link
  }

  private mutating func readParameter() -> (name: String, value: String) {
    let name = rest.prefix { !"=;,".contains($0) }
    rest = rest[name.endIndex...]
    var value = ""
    if rest.first == "=" {
      rest = rest.dropFirst().drop(while: \.isWhitespace)
      value = rest.first == "\"" ? readQuoted() : readToken()
    }
    rest = rest.drop(while: \.isWhitespace)
    return (name.trimmingCharacters(in: .whitespaces).lowercased(), value)
  }

  private mutating func readToken() -> String {
    let token = rest.prefix { !";,".contains($0) }
    rest = rest[token.endIndex...]
    return token.trimmingCharacters(in: .whitespaces)
  }

  private mutating func readQuoted() -> String {
    var value = ""
    rest = rest.dropFirst()
    while let character = rest.popFirst(), character != "\"" {
      value.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
    }
    return value
  }
}

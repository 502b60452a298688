/// A URL reference in its parts (RFC 3986, section 4.1), such as the value of `Location`.
///
/// Each part includes the characters that delimit it, so an empty one is absent. Works on strings because
/// `Foundation.URL` (swift-foundation 6.3) encodes `%20` again if a reference also has a blank, and libcurl's
/// versions resolve differently.
struct URLReference {
  private var scheme: Substring
  private var authority: Substring
  private var path: Substring
  private var query: Substring
  private var fragment: Substring

  init(_ text: String) {
    path = Substring(text)
    fragment = path.removeSuffix(from: [UInt8(ascii: "#")])
    query = path.removeSuffix(from: [UInt8(ascii: "?")])
    var first = path
    let rest = first.removeSuffix(from: [UInt8(ascii: ":"), UInt8(ascii: "/")])
    scheme = ""
    if rest.utf8.first == UInt8(ascii: ":") {
      path = Substring(rest.utf8.dropFirst())
      scheme = text[..<path.startIndex]
    }
    authority = ""
    if path.utf8.starts(with: "//".utf8) {
      var host = Substring(path.utf8.dropFirst(2))
      let rest = host.removeSuffix(from: [UInt8(ascii: "/")])
      authority = path[..<rest.startIndex]
      path = rest
    }
  }

  /// Returns the URL to which this reference in a response from `base` leads (RFC 3986, section 5.2.2).
  ///
  /// It has the fragment of `base` if the reference has none (RFC 9110, section 10.2.2).
  func resolved(against base: URLReference) -> String {
    var target = self
    if scheme.isEmpty {
      target.scheme = base.scheme
      if authority.isEmpty {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          if query.isEmpty { target.query = base.query }
        } else if path.utf8.first != UInt8(ascii: "/") {
          target.path = base.folder + path
        }
      }
    }
    if fragment.isEmpty { target.fragment = base.fragment }
    let path = target.pathWithoutDots
    // Without a host, a path that begins with two slashes would become one.
    let host = target.authority.isEmpty && path.utf8.starts(with: "//".utf8) ? "/." : target.authority
    return "\(target.scheme)\(host)\(path)\(target.query)\(target.fragment)"
  }

  /// Whether parsers of URLs find different hosts in it: some read a backslash before the path as a slash.
  var hasAmbiguousHost: Bool {
    let isSlash: (UInt8) -> Bool = { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    let text = (authority + path).utf8
    let slashes = text.prefix(while: isSlash)
    guard slashes.count >= 2 else { return false }
    return slashes.contains(UInt8(ascii: "\\"))
      || text.dropFirst(slashes.count).prefix { $0 != UInt8(ascii: "/") }.contains(UInt8(ascii: "\\"))
  }

  /// The path up to its last slash.
  private var folder: Substring {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
    return path[...slash]
  }

  /// The path without `.` and `..` (RFC 3986, section 5.2.4).
  private var pathWithoutDots: String {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(
      Substring.init)
    var kept: [Substring] = []
    for segment in segments where segment != "." {
      if segment != ".." {
        kept.append(segment)
      } else if kept.count > 1 {
        kept.removeLast()
      }
    }
    if segments.last == "." || segments.last == ".." { kept.append("") }
    return kept.joined(separator: "/")
  }
}

extension Substring {
  /// Removes and returns the part from the first of some bytes.
  fileprivate mutating func removeSuffix(from first: [UInt8]) -> Substring {
    let suffix = self[(utf8.firstIndex { first.contains($0) } ?? endIndex)...]
    self = self[..<suffix.startIndex]
    return suffix
  }
}

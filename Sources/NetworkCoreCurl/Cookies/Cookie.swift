internal import CNetworkCoreCurl
internal import NetworkCoreTransport

/// A cookie (RFC 6265, with RFC 6265bis where that protects secure cookies).
struct Cookie {
  /// Identifies a cookie: a later one with the same identity replaces it.
  struct Identity: Hashable {
    let name: [UInt8]
    /// The host that gets it, or the domain whose hosts get it.
    let domain: String
    let isHostOnly: Bool
    let path: [UInt8]

    /// Creates an identity; a server may spell the path in another way than the transport, which sends `%2F` for
    /// `%2f`.
    init(name: [UInt8], domain: String, isHostOnly: Bool, path: [UInt8]) {
      var path = path
      path.uppercaseEscapes(in: path.indices)
      (self.name, self.domain, self.isHostOnly, self.path) = (name, domain, isHostOnly, path)
    }
  }

  let identity: Identity
  let value: [UInt8]
  let isSecure: Bool
  /// Whether scripts must not read it; kept for other readers of the file.
  let isHTTPOnly: Bool
  /// The time when it expires, in seconds since 1970; `nil` if it ends with the session.
  let expiry: Int?

  func isExpired(at time: Int) -> Bool { expiry.map { $0 <= time } ?? false }

  /// Whether it belongs to a path (RFC 6265, section 5.1.4).
  func matches(path: [UInt8]) -> Bool {
    let own = identity.path
    return path.starts(with: own)
      && (path.count == own.count || own.last == .slash || path[own.count] == .slash)
  }

  /// Whether it is sent with a request.
  func isSent(to origin: CookieOrigin, at time: Int) -> Bool {
    !isExpired(at: time) && (!isSecure || origin.isSecure)
      && (!identity.isHostOnly || identity.domain == origin.host) && matches(path: origin.path)
  }
}

extension Cookie {
  /// The longest name and value together, in bytes.
  static let sizeLimit = 4_096
  /// The longest value of an attribute; longer ones are ignored.
  private static let attributeLimit = 1_024
  /// A cookie lasts for at most 400 days.
  private static let ageLimit = 400 * 86_400

  /// Reads a `Set-Cookie` field; `nil` if the server must not set the cookie.
  ///
  /// - Parameters:
  ///   - field: the value of the field.
  ///   - origin: the server that sent it.
  ///   - time: the current time in seconds since 1970.
  init?(_ field: [UInt8], from origin: CookieOrigin, at time: Int) {
    // The line end is not part of it. Other controls, wherever they are, make it invalid: otherwise an attribute such
    // as `Secure` could be lost (RFC 6265bis, section 5.6, step 1).
    let field = field.trimmed
    guard !field.contains(where: \.isForbiddenControl) else { return nil }
    let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard let pair = parts.first, let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let name = Array(pair[..<sign].trimmed)
    let value = Array(pair[pair.index(after: sign)...].trimmed)
    // A tab would end a column of the file.
    guard !name.isEmpty, name.count + value.count <= Self.sizeLimit, !(name + value).contains(UInt8.tab)
    else { return nil }
    var attributes = Attributes()
    for part in parts.dropFirst() { attributes.read(part, at: time) }

    guard let scope = attributes.scope(for: origin) else { return nil }
    if attributes.isSecure, !origin.isSecure { return nil }
    let isOfHost = attributes.domain.isEmpty && attributes.path == [.slash]
    guard Self.keepsPromise(of: name, isSecure: attributes.isSecure, isOfHost: isOfHost) else { return nil }
    identity = Identity(
      name: name, domain: scope.domain, isHostOnly: scope.isHostOnly,
      path: attributes.path ?? origin.defaultPath)
    self.value = value
    isSecure = attributes.isSecure
    isHTTPOnly = attributes.isHTTPOnly
    expiry = (attributes.maxAge ?? attributes.expires).map { min($0, time + Self.ageLimit) }
  }

  /// Whether a cookie is what the prefix of its name promises.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - isSecure: whether it is secure.
  ///   - isOfHost: whether its host alone gets it, with every path.
  /// - Returns: `true` if it is, or if the name has no such prefix.
  static func keepsPromise(of name: [UInt8], isSecure: Bool, isOfHost: Bool) -> Bool {
    if name.hasLowercasedPrefix("__secure-") { return isSecure }
    if name.hasLowercasedPrefix("__host-") { return isSecure && isOfHost }
    return true
  }

  /// The attributes of a field; of several with one name, the last counts.
  private struct Attributes {
    var isSecure = false
    var isHTTPOnly = false
    var domain: [UInt8] = []
    var path: [UInt8]?
    var expires: Int?
    /// The time of expiry that `Max-Age` yields.
    var maxAge: Int?

    mutating func read(_ attribute: ArraySlice<UInt8>, at time: Int) {
      let sign = attribute.firstIndex(of: UInt8(ascii: "=")) ?? attribute.endIndex
      let name = attribute[..<sign].trimmed
      let value = Array(attribute[sign...].dropFirst().trimmed)
      guard value.count <= Cookie.attributeLimit else { return }
      switch String(decoding: name, as: UTF8.self).lowercased() {
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      case "domain": domain = Array(value.first == UInt8(ascii: ".") ? value.dropFirst() : value[...])
      // A tab would end a column of the file.
      case "path": path = value.first == .slash && !value.contains(UInt8.tab) ? value : nil
      case "expires": expires = CookieDate.seconds(value) ?? expires
      case "max-age": maxAge = Self.age(value).map { $0 > 0 ? time + $0 : 0 } ?? maxAge
      default: break
      }
    }

    /// Reads a number of seconds, which may be greater than any integer.
    private static func age(_ value: [UInt8]) -> Int? {
      let digits = value.first == UInt8(ascii: "-") ? value.dropFirst() : value[...]
      guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
      return digits.count < value.count
        ? -1 : min(Int(String(decoding: digits, as: UTF8.self)) ?? .max, ageLimit)
    }

    /// Returns which hosts get the cookie; `nil` if the server must not set it.
    ///
    /// If it is not known which domains are public suffixes, only the server itself gets it.
    func scope(for origin: CookieOrigin) -> (domain: String, isHostOnly: Bool)? {
      let domain = String(decoding: domain, as: UTF8.self).lowercased()
      if domain.isEmpty || domain == origin.host && origin.isAddress { return (origin.host, true) }
      guard !origin.isAddress, origin.domains.contains(domain[...]) else { return nil }
      switch ccurl_public_suffix(domain) {
      case CCURL_SUFFIX_PRIVATE: return (domain, false)
      case CCURL_SUFFIX_PUBLIC: return domain == origin.host ? (domain, true) : nil
      default: return (origin.host, true)
      }
    }
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  static var tab: UInt8 { 0x09 }
  /// Whether it makes a cookie invalid: any control but a tab.
  var isForbiddenControl: Bool { self < 0x20 && self != .tab || self == 0x7F }
}

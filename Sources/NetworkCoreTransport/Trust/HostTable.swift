internal import Foundation

/// Values by host: `api.example.com`, `*.example.com` for the names below it, `*` for all hosts.
package struct HostTable<Value: Sendable>: Sendable {
  private let values: [String: Value]

  package init(_ values: [String: Value]) {
    // Sorted, so that of two spellings of a host the same one counts in each run.
    self.values = [String: Value](
      values.sorted { $0.key < $1.key }.map { (Self.normalized($0.key), $0.value) },
      uniquingKeysWith: { first, _ in first })
  }

  package var isEmpty: Bool { values.isEmpty }

  /// The value of the most specific key that a host matches.
  package subscript(host: String) -> Value? {
    let host = Self.normalized(host)
    if let exact = values[host] { return exact }
    // An address has no subdomains.
    var rest = Self.isAddress(host) ? "" : host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if let wildcard = values["*." + rest] { return wildcard }
    }
    return values["*"]
  }

  /// Whether a key can match a host: not with a scheme, a port or a path, or with another wildcard.
  package static func isPossible(_ key: String) -> Bool {
    let name = normalized(key)
    let parent = name.dropFirst(name.hasPrefix("*.") ? 2 : 0)
    // An IPv6 address may have a zone.
    let isAddress = normalizedAddress(String(parent.prefix { $0 != "%" })) != nil
    let isName =
      !parent.isEmpty && !key.hasPrefix("[") && !parent.contains { ":/*[]@,".contains($0) || $0.isWhitespace }
    return name == "*" || isAddress || isName
  }

  /// Returns one spelling for equal hosts, as for libcurl.
  ///
  /// `Example.com.` and `example.com` are equal, and so are `[::1]` and `0:0::1`, `127.0.0.1`, `127.1` and
  /// `0x7f000001`, and a name that is not in ASCII and the one into which it is converted (`xn--…`).
  package static func normalized(_ host: String) -> String {
    var name = host.lowercased()
    if !name.utf8.allSatisfy({ $0 < 0x80 }) {
      let parent = name.dropFirst(name.hasPrefix("*.") ? 2 : 0)
      name = name[..<parent.startIndex] + (parent.asciiHost ?? String(parent))
    }
    if name.hasPrefix("["), name.hasSuffix("]") {
      name = String(name.dropFirst().dropLast())
    } else if name.hasSuffix("."), name != "*." {
      name.removeLast()
    }
    return normalizedAddress(name) ?? name
  }

  /// Whether a host in the normalized spelling is an address.
  package static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || 0x30...0x39 ~= $0 }
  }

  /// Returns the usual spelling of an address; `nil` for a name.
  package static func normalizedAddress(_ host: String) -> String? {
    if host.contains(":") {
      var address = in6_addr()
      guard inet_pton(AF_INET6, host, &address) == 1 else { return nil }
      return text(of: AF_INET6, &address)
    }
    // `inet_aton` would ignore what follows a blank.
    guard host.first?.isWholeNumber == true, !host.contains(where: \.isWhitespace) else { return nil }
    var address = in_addr()
    return inet_aton(host, &address) == 0 ? nil : text(of: AF_INET, &address)
  }

  private static func text(of family: Int32, _ address: UnsafeRawPointer) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, address, &bytes, socklen_t(bytes.count)) != nil else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

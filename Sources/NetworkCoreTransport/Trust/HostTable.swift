/// Values by host: `api.example.com`, `*.example.com` for the names below it, `*` for all hosts.
package struct HostTable<Value: Sendable>: Sendable {
  @usableFromInline let values: [String: Value]

  @inlinable package init(_ values: [String: Value]) {
    self.values = [String: Value](
      values.map { (Self.normalized($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  @inlinable package var isEmpty: Bool { values.isEmpty }

  /// The value of the most specific key that a host matches.
  @inlinable package subscript(host: String) -> Value? {
    let host = Self.normalized(host)
    if let exact = values[host] { return exact }
    // An address has no subdomains.
    let isAddress = host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || 0x30...0x39 ~= $0 }
    var rest = isAddress ? "" : host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if let wildcard = values["*." + rest] { return wildcard }
    }
    return values["*"]
  }

  /// Returns one spelling for equal hosts: `Example.com.` and `example.com` are equal, and so are `[::1]` and
  /// `::1`.
  @inlinable package static func normalized(_ host: String) -> String {
    let lowercased = host.lowercased()
    if lowercased.hasPrefix("["), lowercased.hasSuffix("]") {
      return String(lowercased.dropFirst().dropLast())
    }
    return lowercased.hasSuffix(".") ? String(lowercased.dropLast()) : lowercased
  }
}

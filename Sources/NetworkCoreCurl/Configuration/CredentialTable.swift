/// Credentials by origin: scheme, host and port.
struct CredentialTable: Sendable {
  private struct SchemeAndPort: Hashable {
    let isSecure: Bool
    let port: Int

    init?(_ origin: Origin) {
      guard let port = Int(origin.port), (1...65_535).contains(port) else { return nil }
      (isSecure, self.port) = (origin.isSecure, port)
    }
  }

  private typealias Credential = CurlConfiguration.Credential

  private let tables: [SchemeAndPort: HostTable<CurlConfiguration.Credential>]

  /// Reads keys such as `example.com`, which stands for `https://example.com:443`, and
  /// `http://127.0.0.1:8080`.
  init(_ credentials: [String: CurlConfiguration.Credential]) throws(CurlConfigurationError) {
    var found: [SchemeAndPort: [String: Credential]] = [:]
    for (key, credential) in credentials {
      let url = key.contains("://") ? key : "https://" + key
      guard let origin = Origin(url: url), !origin.isUnixSocket, !origin.host.isEmpty,
        let schemeAndPort = SchemeAndPort(origin), HostTable<Never>.isPossible(origin.host),
        let (_, authority) = Origin.authority(of: url), authority.endIndex == url.endIndex, !url.contains("@")
      else {
        throw .invalid(
          name: "credentials", value: key,
          reason:
            "\(Self.redacted(key)) names no origin: a host is expected, with a scheme and a port if they are not https and 443"
        )
      }
      guard !origin.host.hasPrefix("*") || !key.contains("://") || authority.contains(UInt8(ascii: ":"))
      else {
        throw .invalid(
          name: "credentials", value: key,
          reason:
            "\(Self.redacted(key)) would mean port \(origin.port) only; name the port, as in \(key):\(origin.port)"
        )
      }
      // Two spellings of a host would make the order of a dictionary choose the credential.
      let host = HostTable<Never>.normalized(origin.host)
      guard found[schemeAndPort, default: [:]].updateValue(credential, forKey: host) == nil else {
        throw .invalid(
          name: "credentials", value: key, reason: "\(Self.redacted(key)) has the same meaning as another key"
        )
      }
    }
    tables = found.mapValues { HostTable($0) }
  }

  private static func redacted(_ key: String) -> String {
    "the key " + Redactor.standard.redacted(url: key).debugDescription
  }

  var isEmpty: Bool { tables.isEmpty }

  /// The credential for an origin; `nil` for a Unix domain socket.
  subscript(origin: Origin) -> CurlConfiguration.Credential? {
    guard !origin.isUnixSocket, let schemeAndPort = SchemeAndPort(origin) else { return nil }
    return tables[schemeAndPort]?[origin.host]
  }
}

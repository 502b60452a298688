internal import Foundation

extension CurlConfiguration.ProxyPolicy {
  /// Reads Foundation's `connectionProxyDictionary`, with the keys of Apple's `CFNetwork`.
  ///
  /// A named proxy is used unless its `…Enable` is 0. A SOCKS proxy serves the schemes for which no other
  /// proxy is named.
  package init(connectionProxyDictionary values: [AnyHashable: Any]) throws(CurlConfigurationError) {
    let dictionary = ProxyDictionary(values)
    for key in ["ProxyAutoConfigEnable", "ProxyAutoDiscoveryEnable"] where dictionary.isOn(key) {
      throw .invalid(
        name: "connectionProxyDictionary", value: key, reason: "a proxy script cannot be run; name the proxy")
    }
    let socks = try dictionary.proxy("SOCKS", .socks5)
    let http = try dictionary.proxy("HTTP", .http) ?? socks
    let https = try dictionary.proxy("HTTPS", .http) ?? socks
    self = http == nil && https == nil ? .none : .byScheme(http: http, https: https)
  }
}

/// Typed access to the dictionary; the keys are CFNetwork's constants, which Linux lacks.
private struct ProxyDictionary {
  let values: [AnyHashable: Any]

  package init(_ values: [AnyHashable: Any]) {
    self.values = values
  }

  func isOn(_ key: String) -> Bool { number(key) ?? 0 != 0 }

  func proxy(
    _ prefix: String, _ kind: CurlConfiguration.Proxy.Kind
  ) throws(CurlConfigurationError) -> CurlConfiguration.Proxy? {
    guard number(prefix + "Enable") != 0, let host = values[prefix + "Proxy"] as? String, !host.isEmpty else {
      return nil
    }
    guard let port = number(prefix + "Port"), (1...65_535).contains(port) else {
      throw .invalid(
        name: "connectionProxyDictionary", value: "\(values[prefix + "Port"] ?? "nil")",
        reason: "\(prefix)Port must be from 1 to 65,535")
    }
    var proxy = CurlConfiguration.Proxy(
      kind, host: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host, port: port,
      user: text("\(prefix)User", "kCFProxyUsernameKey"),
      password: text("\(prefix)Password", "kCFProxyPasswordKey"))
    proxy.bypass = values["ExceptionsList"] as? [String] ?? []
    // The dictionary lists the exceptions explicitly; a host that is not listed, this machine included, uses
    // the proxy.
    proxy.servesLoopback = true
    return proxy
  }

  private func text(_ keys: String...) -> String? { keys.lazy.compactMap { values[$0] as? String }.first }

  private func number(_ key: String) -> Int? {
    switch values[key] {
    case let number as Int: number
    case let isOn as Bool: isOn ? 1 : 0
    case let number as NSNumber: number.intValue
    case let text as String: Int(text)
    default: nil
    }
  }
}

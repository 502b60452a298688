internal import CNetworkCoreCurl
internal import Foundation
internal import ReactiveNetworkLock

extension CurlConfiguration.Names {
  func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    var settings: [CurlSetting] = []
    if !overrides.isEmpty {
      var lines: [String] = []
      for override in overrides { lines.append(try override.line()) }
      settings.append(CurlSetting("CURLOPT_RESOLVE", CCURLOPT_RESOLVE, .list(CurlStringList(lines))))
    }
    if cacheTime != .seconds(60) {
      guard (.zero ... .seconds(2_000_000)).contains(cacheTime) else {
        throw .invalid(
          name: "names.cacheTime", value: "\(cacheTime.inSeconds)", reason: "it must be from 0 to 2,000,000 s"
        )
      }
      let whole = Int(cacheTime.inSeconds.rounded(.up))
      settings.append(CurlSetting("CURLOPT_DNS_CACHE_TIMEOUT", CCURLOPT_DNS_CACHE_TIMEOUT, .long(whole)))
    }
    if family != .any {
      settings.append(CurlSetting("CURLOPT_IPRESOLVE", CCURLOPT_IPRESOLVE, .long(family == .ipv4 ? 1 : 2)))
    }
    if let headStart {
      guard (.milliseconds(1) ... .seconds(10)).contains(headStart) else {
        throw .invalid(
          name: "names.headStart", value: "\(headStart.inSeconds)", reason: "it must be from 0.001 to 10 s")
      }
      settings.append(
        CurlSetting(
          "CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS", CCURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS,
          .long(Int(headStart / .milliseconds(1)))))
    }
    if let dnsOverHTTPS {
      guard let origin = Origin(url: dnsOverHTTPS), origin.isSecure, !origin.host.isEmpty else {
        throw .invalid(
          name: "names.dnsOverHTTPS", value: dnsOverHTTPS,
          reason: "a URL that begins with https:// is expected")
      }
      settings.append(CurlSetting("CURLOPT_DOH_URL", CCURLOPT_DOH_URL, .string(dnsOverHTTPS)))
    }
    return settings
  }
}

extension CurlConfiguration.Names.Override {
  /// The override in libcurl's notation; throws if a character would change its meaning.
  fileprivate func line() throws(CurlConfigurationError) -> String {
    guard host.isHostName else {
      throw .invalid(name: "names.overrides", value: host, reason: "it is not the name of a host")
    }
    guard (1...65_535).contains(port) else {
      throw .invalid(name: "names.overrides", value: "\(port)", reason: "it is not a port")
    }
    let digits = Set("0123456789abcdefABCDEF.:%")
    guard !addresses.isEmpty, addresses.allSatisfy({ !$0.isEmpty && $0.allSatisfy(digits.contains) }) else {
      throw .invalid(
        name: "names.overrides", value: addresses.joined(separator: ", "), reason: "addresses are expected")
    }
    let list = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }
    return "\(host):\(port):\(list.joined(separator: ","))"
  }
}

extension CurlConfiguration.Proxy {
  /// The proxy in libcurl's notation.
  var url: String { "\(kind.rawValue)://\(host):\(port)" }

  /// The hosts that are requested without the proxy, in libcurl's notation, which has no asterisk before a
  /// name, and in the spelling with which libcurl compares them.
  var bypassed: String {
    bypass.map { HostTable<Never>.normalized($0.hasPrefix("*.") ? String($0.dropFirst(2)) : $0) }
      .joined(separator: ",")
  }

  /// The option for the blocks of addresses in `bypass`, so that an older libcurl is an error.
  ///
  /// Throws for an entry that no host matches, because its requests would use the proxy.
  private func blockSettings() throws(CurlConfigurationError) -> [CurlSetting] {
    var hasBlocks = false
    for entry in bypass where !HostTable<Never>.isPossible(entry) {
      let block = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      // libcurl compares blocks of IPv6 addresses with no host (7.88).
      guard block.count == 2, let bits = UInt8(block[1]), 1...32 ~= bits, !entry.contains(":"),
        HostTable<Never>.normalizedAddress(String(block[0])) != nil
      else {
        throw .invalid(
          name: "proxy.bypass", value: entry, reason: "it is not a host: a name or an address without a port")
      }
      hasBlocks = true
    }
    guard hasBlocks else { return [] }
    return [
      CurlSetting("CURLOPT_NOPROXY with blocks", CCURLOPT_NOPROXY, .string(bypassed), since: (7, 86))
    ]
  }

  func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    guard host.isHostName || host.isBracketedAddress else {
      throw .invalid(name: "proxy.host", value: host, reason: "it is not the name of a host")
    }
    guard (1...65_535).contains(port) else {
      throw .invalid(name: "proxy.port", value: "\(port)", reason: "it is not a port")
    }
    if user == nil, password != nil {
      // The error does not show the password.
      throw .invalid(name: "proxy.password", value: "the password", reason: "it has no user")
    }
    var settings = [CurlSetting("CURLOPT_PROXY", CCURLOPT_PROXY, .string(url))] + (try blockSettings())
    if let user {
      try checkForControls(user: user, password: password ?? "", "proxy.user")
      settings += [
        CurlSetting("CURLOPT_PROXYUSERNAME", CCURLOPT_PROXYUSERNAME, .string(user)),
        CurlSetting("CURLOPT_PROXYPASSWORD", CCURLOPT_PROXYPASSWORD, .string(password ?? "")),
        CurlSetting(
          "CURLOPT_PROXYAUTH", CCURLOPT_PROXYAUTH,
          .long(authentication == .basic ? CCURLAUTH_BASIC : CCURLAUTH_DIGEST)),
      ]
    }
    if tunnelsPlainRequests {
      settings.append(CurlSetting("CURLOPT_HTTPPROXYTUNNEL", CCURLOPT_HTTPPROXYTUNNEL, .long(1)))
    }
    return settings
  }
}

extension String {
  /// Whether the string has only letters, digits, hyphens, dots and underscores, none of which is special to
  /// libcurl.
  var isHostName: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Whether the string is an IPv6 address in brackets, perhaps with a zone.
  fileprivate var isBracketedAddress: Bool {
    guard hasPrefix("["), hasSuffix("]") else { return false }
    let parts = dropFirst().dropLast().split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var address = in6_addr()
    return inet_pton(AF_INET6, String(parts[0]), &address) == 1
      && parts.dropFirst().allSatisfy { String($0).isHostName }
  }
}

internal import CNetworkCoreCurl
internal import Foundation
internal import ReactiveNetworkLock

// The only place that translates a configuration into libcurl options.
extension CurlConfiguration {
  /// The options for each host that has no settings of its own.
  func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    var settings = try timeouts.settings() + connections.settings() + names.settings() + tls.settings()
    settings += try versionSettings()
    if case .proxy(let proxy) = proxy { settings += try proxy.settings() }
    return settings
  }
}

extension CurlConfiguration {
  /// A setting that tests whether libcurl supports HTTP/3; each request sets the version itself.
  private func versionSettings() throws(CurlConfigurationError) -> [CurlSetting] {
    guard httpVersion.mayBeHTTP3 else { return [] }
    // QUIC contains TLS 1.3 (RFC 9001, section 4.2), so a lower limit would be silently ignored.
    if let maximum = tls.maximumVersion, maximum < .v1_3 {
      throw .invalid(
        name: "httpVersion", value: "\(httpVersion)",
        reason: "HTTP/3 needs TLS 1.3, and tls.maximumVersion is \(maximum)")
    }
    // libcurl (before 7.88) cannot fall back to HTTP/2.
    return [
      CurlSetting(
        VersionPolicy.http3Option, CCURLOPT_HTTP_VERSION, .long(CCURL_HTTP_VERSION_3), since: (7, 88))
    ]
  }
}

extension CurlConfiguration.VersionPolicy {
  /// The option that an error names as unsupported.
  static let http3Option = "HTTP/3 (CURLOPT_HTTP_VERSION)"

  var mayBeHTTP3: Bool { self == .http3 || self == .http3IfAdvertised }
}

extension CurlConfiguration.Timeouts {
  fileprivate func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    _ = try firstByte.map { value throws(CurlConfigurationError) in try checked(value, "timeouts.firstByte") }
    _ = try total.map { value throws(CurlConfigurationError) in try checked(value, "timeouts.total") }
    _ = try checked(connect, "timeouts.connect")
    return [
      CurlSetting("CURLOPT_CONNECTTIMEOUT_MS", CCURLOPT_CONNECTTIMEOUT_MS, .long(connectMilliseconds))
    ]
  }

  /// The validated time limit for connecting, in libcurl's unit; at least 1, because 0 would mean libcurl's
  /// default of five minutes.
  var connectMilliseconds: Int { max(1, Int((connect / .milliseconds(1)).rounded())) }

  var serviceMilliseconds: Int { max(1, Int((min(connect, service) / .milliseconds(1)).rounded())) }
}

extension CurlConfiguration.Connections {
  fileprivate func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    let limits = [
      ("limit", limit), ("limitPerHost", limitPerHost), ("streamLimit", streamLimit),
      ("requestLimit", requestLimit),
    ]
    for (name, value) in limits {
      guard let value, !(1...Int(Int32.max)).contains(value) else { continue }
      throw .invalid(name: "connections.\(name)", value: "\(value)", reason: "it must be 1 or more")
    }
    // Linux refuses a longer time, and libcurl then keeps the system's without an error.
    if let keepAlive, keepAlive > .seconds(32_767) {
      throw .invalid(
        name: "connections.keepAlive", value: "\(keepAlive.inSeconds)", reason: "it must be at most 32,767 s")
    }
    var settings: [CurlSetting] = []
    let times: [(name: String, option: Int, field: String, value: Duration?)] = [
      ("CURLOPT_MAXAGE_CONN", CCURLOPT_MAXAGE_CONN, "idleLifetime", idleLifetime),
      ("CURLOPT_MAXLIFETIME_CONN", CCURLOPT_MAXLIFETIME_CONN, "lifetime", lifetime),
      ("CURLOPT_TCP_KEEPIDLE", CCURLOPT_TCP_KEEPIDLE, "keepAlive", keepAlive),
      ("CURLOPT_TCP_KEEPINTVL", CCURLOPT_TCP_KEEPINTVL, "keepAlive", keepAlive),
    ]
    for (name, option, field, value) in times {
      guard let value else { continue }
      let whole = Int(try checked(value, "connections.\(field)").inSeconds.rounded(.up))
      settings.append(CurlSetting(name, option, .long(whole)))
    }
    settings.append(
      CurlSetting("CURLOPT_TCP_KEEPALIVE", CCURLOPT_TCP_KEEPALIVE, .long(keepAlive == nil ? 0 : 1)))
    return settings
  }
}

/// Returns a time if libcurl's integers can hold it.
private func checked(_ time: Duration, _ name: String) throws(CurlConfigurationError) -> Duration {
  guard time > .zero, time <= .seconds(2_000_000) else {
    throw .invalid(
      name: name, value: "\(time.inSeconds)", reason: "it must be above 0 and at most 2,000,000 s")
  }
  return time
}

extension CurlConfiguration.TLS {
  func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    if let maximumVersion, maximumVersion < minimumVersion {
      throw .invalid(
        name: "tls.maximumVersion", value: "\(maximumVersion)", reason: "it is below \(minimumVersion)")
    }
    var settings = [
      CurlSetting("CURLOPT_SSL_VERIFYPEER", CCURLOPT_SSL_VERIFYPEER, .long(1)),
      CurlSetting("CURLOPT_SSL_VERIFYHOST", CCURLOPT_SSL_VERIFYHOST, .long(2)),
      CurlSetting(
        "CURLOPT_SSLVERSION", CCURLOPT_SSLVERSION,
        .long(minimumVersion.number | (maximumVersion?.number ?? 0) << 16)),
    ]
    settings += try authorities.settings() + authorities.proxySettings()
    if case .file = authorities {
      // The default is a day. A libcurl without the option keeps no certificates.
      settings.append(
        CurlSetting(
          "CURLOPT_CA_CACHE_TIMEOUT", CCURLOPT_CA_CACHE_TIMEOUT, .long(authoritiesCacheTime),
          isOptional: true))
    }
    if sendsEarlyData {
      // libcurl (before 8.16) accepts the bit without effect: 8.12 with OpenSSL sends no early data, 8.16 does.
      settings.append(
        CurlSetting(
          "CURLSSLOPT_EARLYDATA", CCURLOPT_SSL_OPTIONS, .long(CCURLSSLOPT_EARLYDATA), since: (8, 16)))
    }
    if let ciphers {
      settings.append(CurlSetting("CURLOPT_SSL_CIPHER_LIST", CCURLOPT_SSL_CIPHER_LIST, .string(ciphers)))
    }
    if let ciphersTLS13 {
      settings.append(CurlSetting("CURLOPT_TLS13_CIPHERS", CCURLOPT_TLS13_CIPHERS, .string(ciphersTLS13)))
    }
    return settings
  }
}

extension CurlConfiguration.TLS.Version {
  fileprivate var number: Int {
    switch self {
    case .v1_0: CCURL_SSLVERSION_TLSv1_0
    case .v1_1: CCURL_SSLVERSION_TLSv1_1
    case .v1_2: CCURL_SSLVERSION_TLSv1_2
    case .v1_3: CCURL_SSLVERSION_TLSv1_3
    }
  }
}

extension CurlConfiguration.TLS.Authorities {
  /// Returns options that replace the file of the system's authorities and clear their directory, because
  /// libcurl would search both.
  fileprivate func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    switch self {
    case .system: []
    case .file(let path):
      [
        CurlSetting("CURLOPT_CAINFO", CCURLOPT_CAINFO, .string(try readable(path))),
        CurlSetting("CURLOPT_CAPATH", CCURLOPT_CAPATH, .string(nil)),
      ]
    case .data(let pem): try Self.settings(pem: pem)
    }
  }

  /// The same authorities for a proxy that uses TLS.
  fileprivate func proxySettings() throws(CurlConfigurationError) -> [CurlSetting] {
    switch self {
    case .system: []
    case .file(let path):
      [
        CurlSetting("CURLOPT_PROXY_CAINFO", CCURLOPT_PROXY_CAINFO, .string(try readable(path))),
        CurlSetting("CURLOPT_PROXY_CAPATH", CCURLOPT_PROXY_CAPATH, .string(nil)),
      ]
    case .data(let pem):
      [
        CurlSetting("CURLOPT_PROXY_CAINFO_BLOB", CCURLOPT_PROXY_CAINFO_BLOB, .blob(CurlBlob(pem))),
        CurlSetting("CURLOPT_PROXY_CAPATH", CCURLOPT_PROXY_CAPATH, .string(nil)),
      ]
    }
  }

  static func settings(pem: Data) throws(CurlConfigurationError) -> [CurlSetting] {
    do throws(CertificateFormatError) {
      _ = try Certificate.certificates(pem: String(decoding: pem, as: UTF8.self))
    } catch {
      throw .invalid(
        name: "tls.authorities", value: "\(pem.count) bytes", reason: error.localizedDescription)
    }
    return [
      CurlSetting("CURLOPT_CAINFO_BLOB", CCURLOPT_CAINFO_BLOB, .blob(CurlBlob(pem))),
      CurlSetting("CURLOPT_CAPATH", CCURLOPT_CAPATH, .string(nil)),
    ]
  }
}

extension CurlConfiguration.TLS.ClientIdentity {
  func settings(for library: CurlLibrary) throws(CurlConfigurationError) -> [CurlSetting] {
    var settings = [
      try certificate.setting(
        "CURLOPT_SSLCERT", file: CCURLOPT_SSLCERT, blob: CCURLOPT_SSLCERT_BLOB),
      CurlSetting("CURLOPT_SSLCERTTYPE", CCURLOPT_SSLCERTTYPE, .string(format.rawValue)),
    ]
    // An archive contains its key, and PEM may contain it; libcurl searches PEM for the key only if the
    // option names the source.
    if let source = key ?? (format == .pem ? certificate : nil) {
      settings += [
        try source.setting("CURLOPT_SSLKEY", file: CCURLOPT_SSLKEY, blob: CCURLOPT_SSLKEY_BLOB),
        CurlSetting("CURLOPT_SSLKEYTYPE", CCURLOPT_SSLKEYTYPE, .string(format.rawValue)),
      ]
    }
    // Without a password, OpenSSL would ask for that of an encrypted PEM on the terminal or the standard input, and
    // block the loop. GnuTLS does not ask, and with an empty password it refuses a key that is not encrypted.
    if let password = password ?? (format == .pem && library.verifyingLibrary == .openSSL ? "" : nil) {
      settings.append(CurlSetting("CURLOPT_KEYPASSWD", CCURLOPT_KEYPASSWD, .string(password)))
    }
    return settings
  }
}

extension CurlConfiguration.TLS.ClientIdentity.Source {
  fileprivate func setting(
    _ name: String, file: Int, blob: Int
  ) throws(CurlConfigurationError) -> CurlSetting {
    switch self {
    case .file(let path): CurlSetting(name, file, .string(try readable(path)))
    case .data(let data): CurlSetting(name + "_BLOB", blob, .blob(CurlBlob(data)))
    }
  }
}

extension ServerTrustPolicy {
  func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    var settings = [
      CurlSetting("CURLOPT_SSL_VERIFYPEER", CCURLOPT_SSL_VERIFYPEER, .long(checksChain ? 1 : 0)),
      CurlSetting("CURLOPT_SSL_VERIFYHOST", CCURLOPT_SSL_VERIFYHOST, .long(checksHost ? 2 : 0)),
    ]
    if requiresStatus {
      settings.append(CurlSetting("CURLOPT_SSL_VERIFYSTATUS", CCURLOPT_SSL_VERIFYSTATUS, .long(1)))
    }
    if let anchors {
      let pem = anchors.map(\.pem).joined()
      settings += try CurlConfiguration.TLS.Authorities.settings(pem: Data(pem.utf8))
    }
    if let publicKeys {
      // libcurl would accept any key for an empty list, but the caller means none.
      guard !publicKeys.isEmpty else {
        throw .invalid(name: "publicKeys", value: "[]", reason: "no key could ever match")
      }
      let pins = publicKeys.map(\.description).joined(separator: ";")
      settings.append(CurlSetting("CURLOPT_PINNEDPUBLICKEY", CCURLOPT_PINNEDPUBLICKEY, .string(pins)))
    }
    return settings
  }
}

/// Returns the absolute path, so that a later `chdir` does not matter; throws if the file cannot be read.
private func readable(_ path: String) throws(CurlConfigurationError) -> String {
  guard FileManager.default.isReadableFile(atPath: path) else { throw .unreadableFile(path: path) }
  return URL(fileURLWithPath: path).path
}

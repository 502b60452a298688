internal import CNetworkCoreCurl
internal import Foundation

/// Finds the options for a request: those of the configuration and those for its host.
///
/// After initialisation, used only on the loop's thread.
final class CurlProfiles {
  /// What there is for a request.
  enum Finding {
    case profile(CurlProfile)
    /// The checks of the host's certificate must be asked for first, on a thread that this may block.
    case missingPolicy(host: String, ServerTrustManager)
  }

  private struct Key: Hashable {
    let origin: Origin
    /// The host in the normalized spelling of the tables.
    let host: String
    /// The request's own credential.
    let credential: CurlConfiguration.Credential?
    /// Whether the request has an `Authorization` of its own, which takes precedence over all credentials.
    let isAuthorized: Bool
    /// Whether the request has a `Proxy-Authorization` of its own, which takes precedence in the same way.
    let isProxyAuthorized: Bool
    var isSecure: Bool { origin.isSecure }
  }

  /// The maximum number of hosts that are cached at once.
  private static let limit = 1_024

  /// The options that all requests of one scheme share.
  private struct Base {
    var configuration: CurlConfiguration
    var profile: CurlProfile

    /// Whether a plain request has the credential for the proxy in a field of its own: a proxy that opens a tunnel
    /// gets it before.
    var forwardsProxyCredential: Bool {
      guard case .proxy(let proxy) = configuration.proxy, proxy.user != nil else { return false }
      return !proxy.tunnelsPlainRequests && (proxy.kind == .http || proxy.kind == .https)
    }

    /// Whether plain requests use TLS to the proxy, as a proxy of the environment may.
    var usesSecureProxy: Bool {
      switch configuration.proxy {
      case .proxy(let proxy): proxy.kind == .https
      case .environment:
        // The first that is not empty, as for libcurl, which does not read `HTTP_PROXY`.
        ["http_proxy", "all_proxy", "ALL_PROXY"].compactMap { ProcessInfo.processInfo.environment[$0] }
          .first { !$0.isEmpty }?.lowercased().hasPrefix("https:") == true
      case .none, .byScheme: false
      }
    }

    /// Removes the credential for the proxy.
    func withoutProxyCredential() -> Base {
      guard case .proxy(var proxy) = configuration.proxy else { return self }
      proxy.user = nil
      let options = [CCURLOPT_PROXYUSERNAME, CCURLOPT_PROXYPASSWORD, CCURLOPT_PROXYAUTH]
      var base = self
      base.configuration.proxy = .proxy(proxy)
      base.profile = CurlProfile(
        profile.settings.filter { !options.contains($0.option) }, base.configuration, profile.fields)
      return base
    }

    /// Appends settings.
    func adding(_ settings: [CurlSetting]) -> Base {
      // A handle skips the options that it already has if the profile is the same.
      guard !settings.isEmpty else { return self }
      var base = self
      base.profile = CurlProfile(profile.settings + settings, configuration, profile.fields)
      return base
    }

    init(_ configuration: CurlConfiguration, isSecure: Bool) throws(CurlConfigurationError) {
      var configuration = configuration
      configuration.proxy = configuration.proxy.forScheme(isSecure: isSecure)
      self.configuration = configuration
      profile = CurlProfile(
        try configuration.settings(), configuration,
        DefaultHeaderFields(configuration, encodings: ContentCoding.usable))
    }
  }

  /// For `http` and for `https`; each made at the first such request, because that may read the system's authorities.
  private lazy var plainBase = plain.usesSecureProxy ? plain.adding(authorities()) : plain
  private lazy var secureBase = secure.adding(authorities())
  private let (plain, secure): (Base, Base)
  /// Returns the options for the system's authorities; none if the configuration has others.
  private let authorities: () -> [CurlSetting]
  private let trust: ServerTrustManager?
  /// The options of the client's identities, made once: relative paths refer to the folder of that moment.
  private let identities: HostTable<[CurlSetting]>
  private let credentials: CredentialTable
  private let isSameForAll: Bool
  private let forwardsProxyCredential: Bool
  /// The cookies of all the transport's loops, if they are kept.
  private(set) var jar: CookieJar?
  private var known: [Key: Result<CurlProfile, TransferError>] = [:]
  private var policies: [String: HostPolicy] = [:]

  /// Translates a configuration into options and tries them on a handle.
  ///
  /// - Throws: `CurlConfigurationError` if the configuration is invalid, or needs a newer libcurl than the
  ///   loaded one.
  init(_ configuration: CurlConfiguration, library: CurlLibrary) throws(CurlConfigurationError) {
    let plain = try Base(configuration, isSecure: false)
    var secure = plain
    if case .byScheme = configuration.proxy {
      secure = try Base(configuration, isSecure: true)
      try secure.profile.settings.probe(library)
    }
    (self.plain, self.secure) = (plain, secure)
    let usesSystem = configuration.tls.authorities == .system
    authorities = { usesSystem ? library.systemAuthorities : [] }
    trust = configuration.serverTrustManager
    var identitySettings: [String: [CurlSetting]] = [:]
    try Self.checkHosts(configuration.tls.clientIdentities.keys, "tls.clientIdentities")
    try Self.checkHosts((trust?.evaluators ?? [:]).keys, "serverTrustManager.evaluators")
    for (host, identity) in configuration.tls.clientIdentities {
      let settings = try identity.settings(for: library)
      try settings.probe(library)
      identitySettings[host] = settings
    }
    identities = HostTable(identitySettings)
    credentials = try CredentialTable(configuration.credentials)
    isSameForAll = trust == nil && identities.isEmpty && credentials.isEmpty
    forwardsProxyCredential = plain.forwardsProxyCredential
    try plain.profile.settings.probe(library)
    for credential in configuration.credentials.values { try credential.settings().probe(library) }
    // A subclass chooses policies only when a host is requested, so those cannot be tried here.
    for (host, evaluator) in trust?.evaluators ?? [:] {
      guard let policy = try? evaluator.policy(forHost: host) else { continue }
      try policy.settings().probe(library)
    }
  }

  /// Throws for a key that is not a host, or is a spelling of another key, because its value would be ignored.
  private static func checkHosts(
    _ keys: some Sequence<String>, _ name: String
  ) throws(CurlConfigurationError) {
    var hosts: Set<String> = []
    for key in keys.sorted() {
      guard HostTable<Never>.isPossible(key) else {
        throw .invalid(
          name: name, value: key, reason: "it is not a host: a name or an address without a port")
      }
      guard hosts.insert(HostTable<Never>.normalized(key)).inserted else {
        throw .invalid(name: name, value: key, reason: "it has the same meaning as another key")
      }
    }
  }

  /// Makes requests send and set the cookies of a jar; called before the first request.
  func useCookies(of jar: CookieJar) {
    self.jar = jar
  }

  /// Releases the cookies; called after the last handle is gone.
  ///
  /// The file is written when the last loop has released them.
  func close() {
    jar = nil
  }

  /// Returns the value of a request's `Cookie` field; `nil` if it sends only its own cookies.
  func cookies(for request: TransportRequest) -> [UInt8]? {
    guard let jar, request.handlesCookies, let origin = CookieOrigin(url: request.url) else { return nil }
    return jar.field(for: origin)
  }

  /// Keeps the cookie of a `Set-Cookie` line.
  func keepCookie(_ line: [UInt8], of request: TransportRequest) {
    guard let jar, request.handlesCookies, let origin = CookieOrigin(url: request.url) else { return }
    jar.store(line.dropFirst("set-cookie:".utf8.count), from: origin)
  }

  /// Returns the options for a request.
  ///
  /// - Throws: `TransferError.certificate` if the host must not be contacted.
  func find(for request: TransportRequest) throws(TransferError) -> Finding {
    let isSecure = request.url.withBytes { $0.hasLowercasedPrefix("https://") }
    let isProxyAuthorized =
      forwardsProxyCredential && !isSecure && !request.upgradesConnection
      && request.headers["Proxy-Authorization"] != nil
    guard !isSameForAll || request.credential != nil || isProxyAuthorized,
      let origin = Origin(url: request.url)
    else {
      return .profile(isSecure ? secureBase.profile : plainBase.profile)
    }
    let key = Key(
      origin: origin, host: HostTable<Never>.normalized(origin.host), credential: request.credential,
      isAuthorized: request.headers["Authorization"] != nil, isProxyAuthorized: isProxyAuthorized)
    if let found = known[key] { return .profile(try found.get()) }
    var policy: HostPolicy?
    if key.isSecure, let trust {
      // libcurl would decode such a name and contact another host than the one that is looked up here.
      guard key.host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) else {
        throw .noPolicy(of: key.host, ServerTrustError.noRequiredEvaluator(host: key.host))
      }
      guard let found = policies[key.host] else { return .missingPolicy(host: key.host, trust) }
      policy = found
    }
    let made = Result { () throws(TransferError) in try make(key, policy) }
    if known.count >= Self.limit { known = [:] }
    known[key] = made
    return .profile(try made.get())
  }

  /// Adds the checks of a host's certificate, which `find(for:)` has reported as missing.
  func add(_ policy: HostPolicy) {
    if policies.count >= Self.limit { policies = [:] }
    policies[policy.host] = policy
  }

  /// Makes the options for a host; `policy` is `nil` for the usual checks of its certificate.
  private func make(_ key: Key, _ policy: HostPolicy?) throws(TransferError) -> CurlProfile {
    var base = key.isSecure ? secureBase : plainBase
    if key.isProxyAuthorized { base = base.withoutProxyCredential() }
    var settings = base.profile.settings
    let credential = key.isAuthorized ? nil : key.credential ?? credentials[key.origin]
    do {
      if let credential { settings += try credential.settings() }
    } catch {
      throw .invalidField(name: "credential", value: "\(error)")
    }
    do {
      if let policy = try policy?.result.get() { settings += try policy.settings() }
      if key.isSecure, let identity = identities[key.host] { settings += identity }
    } catch {
      throw .noPolicy(of: key.host, error)
    }
    return CurlProfile(
      settings, base.configuration, respondsToChallenges: credential?.respondsToChallenges ?? false,
      base.profile.fields)
  }
}

/// The checks of a host's certificate; `nil` for the usual ones.
struct HostPolicy {
  let host: String
  let result: Result<ServerTrustPolicy?, any Error>

  /// Asks a manager and its evaluator, which may block.
  init(of host: String, from trust: ServerTrustManager) {
    self.host = host
    result = Result { try trust.serverTrustEvaluator(forHost: host)?.policy(forHost: host) }
  }
}

extension TransferError {
  fileprivate static func noPolicy(of host: String, _ reason: any Error) -> TransferError {
    .certificate(problem: .noPolicy, host: host, reason: "\(reason)")
  }
}

extension [CurlSetting] {
  /// Sets every option on a handle that is used for nothing else.
  fileprivate func probe(_ library: CurlLibrary) throws(CurlConfigurationError) {
    guard let easy = CurlEasy(library: library) else {
      throw .unavailable(CurlUnavailableError(reason: "curl_easy_init failed"))
    }
    for setting in self {
      if let since = setting.since, library.number < since {
        throw .unsupported(option: setting.name, library: library.version)
      }
      let code = easy.set(setting)
      switch code {
      case CCURLE_OK: continue
      case CCURLE_UNSUPPORTED_PROTOCOL where setting.option == CCURLOPT_HTTP_VERSION,
        CCURLE_UNKNOWN_OPTION, CCURLE_NOT_BUILT_IN:
        throw .unsupported(option: setting.name, library: library.version)
      default: throw .refused(option: setting.name, reason: easy.reason(for: code))
      }
    }
  }
}

internal import CCurl
internal import Foundation

/// An option of an easy handle with its value.
struct CurlSetting: Sendable {
  enum Value: Sendable {
    case long(Int)
    case string(String?)
    case blob(CurlBlob)
    case list(CurlList)
    case share(CurlShare)
  }

  let name: String
  let option: Int
  let value: Value
  /// The version from which libcurl does what the option says, if it would take it before.
  let since: (major: Int, minor: Int)?

  /// Whether it says which servers are to be trusted.
  var isAboutTrust: Bool {
    switch option {
    case CCURLOPT_SSL_VERIFYPEER, CCURLOPT_SSL_VERIFYHOST, CCURLOPT_SSL_VERIFYSTATUS,
      CCURLOPT_PINNEDPUBLICKEY,
      CCURLOPT_CAINFO, CCURLOPT_CAPATH, CCURLOPT_CAINFO_BLOB:
      true
    default: false
    }
  }

  init(_ name: String, _ option: Int, _ value: Value, since: (major: Int, minor: Int)? = nil) {
    self.name = name
    self.since = since
    self.option = option
    self.value = value
  }
}

/// Bytes that libcurl points into for as long as a handle has them.
///
/// Sendable because the memory is written before anybody else sees the object, and freed with it.
final class CurlBlob: @unchecked Sendable {
  private let bytes: UnsafeMutableRawBufferPointer

  init(_ data: Data) {
    bytes = .allocate(byteCount: max(1, data.count), alignment: 1)
    data.copyBytes(to: bytes)
    size = data.count
  }

  deinit { bytes.deallocate() }

  private let size: Int

  /// Not copied: a handle keeps the profile that has this object.
  var value: ccurl_blob { ccurl_blob(data: bytes.baseAddress, length: size, flags: 0) }
}

/// What handles share.
///
/// Sendable because it comes with the locks of a `CurlCookieJar`.
struct CurlShare: @unchecked Sendable {
  /// `nil` to share nothing any more.
  let pointer: UnsafeMutableRawPointer?
}

/// A list of texts that libcurl points into for as long as a handle has it.
///
/// Sendable because the memory is written before anybody else sees the object, and freed with it.
final class CurlList: @unchecked Sendable {
  private let nodes: UnsafeMutableBufferPointer<ccurl_slist>

  init(_ lines: [String]) {
    nodes = .allocate(capacity: lines.count)
    for (index, line) in lines.enumerated() {
      let next = nodes.baseAddress.flatMap { index + 1 < lines.count ? $0 + index + 1 : nil }
      nodes.initializeElement(at: index, to: ccurl_slist(data: strdup(line), next: next))
    }
  }

  deinit {
    for node in nodes { free(node.data) }
    nodes.deallocate()
  }

  var first: UnsafeMutablePointer<ccurl_slist>? { nodes.isEmpty ? nil : nodes.baseAddress }
}

/// The options that all requests to one host have in common.
final class CurlProfile: Sendable {
  let settings: [CurlSetting]
  let httpVersion: CurlConfiguration.VersionPolicy
  /// Whether safe requests may be sent as early data.
  let sendsEarlyData: Bool
  /// How long connecting may take, in milliseconds.
  let connectLimit: Int
  /// How long it may take to a service that the origin has advertised.
  let serviceConnectLimit: Int
  /// The proxy in libcurl's notation: empty for none, `nil` for that of the environment.
  let proxy: String?
  /// The hosts that are asked without it, in libcurl's notation; `nil` for those of the environment.
  let bypass: String?
  /// Whether requests to this machine itself go through the proxy too.
  let proxiesLoopback: Bool

  /// Whether cookies are kept for later requests.
  let keepsCookies: Bool
  /// Whether libcurl may send a request again because an answer asks for a credential (401).
  let answersChallenges: Bool
  /// Whether it may because a proxy asks for one (407).
  let answersProxyChallenges: Bool
  /// Whether a proxy that may is asked for plain requests themselves, and not for a tunnel.
  let handsOverPlainRequests: Bool

  init(_ settings: [CurlSetting], _ configuration: CurlConfiguration, answersChallenges: Bool = false) {
    self.settings = settings
    self.answersChallenges = answersChallenges
    httpVersion = configuration.httpVersion
    sendsEarlyData = configuration.tls.sendsEarlyData
    connectLimit = configuration.timeouts.connectMilliseconds
    serviceConnectLimit = configuration.timeouts.serviceMilliseconds
    keepsCookies = settings.contains { $0.option == CCURLOPT_COOKIEFILE }
    if case .proxy(let found) = configuration.proxy {
      answersProxyChallenges = found.user != nil && found.authentication == .digest
      handsOverPlainRequests = !found.tunnelsPlainRequests
    } else {
      (answersProxyChallenges, handsOverPlainRequests) = (false, false)
    }
    switch configuration.proxy {
    // Of two, one has been chosen for the scheme.
    case .environment, .byScheme: (proxy, bypass, proxiesLoopback) = (nil, nil, false)
    case .none: (proxy, bypass, proxiesLoopback) = ("", nil, false)
    case .proxy(let found):
      (proxy, bypass, proxiesLoopback) = (found.url, found.bypassed, found.servesLoopback)
    }
  }
}

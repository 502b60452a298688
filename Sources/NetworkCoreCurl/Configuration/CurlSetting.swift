internal import CNetworkCoreCurl
internal import Foundation

/// An option of an easy handle with its value.
struct CurlSetting: Sendable {
  enum Value: Sendable {
    case long(Int)
    case string(String?)
    case blob(CurlBlob)
    case list(CurlStringList)
  }

  let name: String
  let option: Int
  let value: Value
  /// The first version in which the option takes effect, if older ones accept it without effect.
  let since: (major: Int, minor: Int)?
  /// Whether a libcurl without the option behaves as the value requires.
  let isOptional: Bool

  /// Whether the option decides which servers to trust.
  var isAboutTrust: Bool {
    switch option {
    case CCURLOPT_SSL_VERIFYPEER, CCURLOPT_SSL_VERIFYHOST, CCURLOPT_SSL_VERIFYSTATUS,
      CCURLOPT_PINNEDPUBLICKEY,
      CCURLOPT_CAINFO, CCURLOPT_CAPATH, CCURLOPT_CAINFO_BLOB:
      true
    default: false
    }
  }

  init(
    _ name: String, _ option: Int, _ value: Value, since: (major: Int, minor: Int)? = nil,
    isOptional: Bool = false
  ) {
    self.name = name
    self.since = since
    self.isOptional = isOptional
    self.option = option
    self.value = value
  }
}

/// Bytes that a handle's option points to; libcurl does not copy them.
///
/// Sendable because the memory is written before the object is shared, and freed with it.
final class CurlBlob: @unchecked Sendable {
  private let bytes: UnsafeMutableRawBufferPointer

  init(_ data: Data) {
    bytes = .allocate(byteCount: max(1, data.count), alignment: 1)
    data.copyBytes(to: bytes)
    size = data.count
  }

  deinit { bytes.deallocate() }

  private let size: Int

  /// libcurl does not copy the bytes: the handle keeps the profile that owns this object.
  var value: ccurl_blob { ccurl_blob(data: bytes.baseAddress, length: size, flags: 0) }
}

/// A list of strings that a handle's option points to; libcurl does not copy them.
///
/// Sendable because the memory is written before the object is shared, and freed with it.
final class CurlStringList: @unchecked Sendable {
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

/// The options that all requests to one host share.
final class CurlProfile: Sendable {
  let settings: [CurlSetting]
  let httpVersion: CurlConfiguration.VersionPolicy
  /// Whether safe requests may be sent as early data.
  let sendsEarlyData: Bool
  /// The time limit for connecting, in milliseconds.
  let connectLimit: Int
  /// The time limit for connecting to an advertised alternative service.
  let serviceConnectLimit: Int
  /// The proxy in libcurl's notation: empty for none, `nil` for that of the environment.
  let proxy: String?
  /// The hosts that are requested without the proxy, in libcurl's notation; `nil` for those of the
  /// environment.
  let bypass: String?
  /// Whether requests to this machine itself go through the proxy as well.
  let proxiesLoopback: Bool

  /// Whether libcurl may repeat a request because the server requests a credential (401).
  let respondsToChallenges: Bool
  /// Whether libcurl may repeat a request because a proxy requests a credential (407).
  let respondsToProxyChallenges: Bool
  /// Whether the configured proxy forwards plain requests instead of tunnelling them.
  let forwardsPlainRequests: Bool
  /// The default fields for requests that do not have them.
  let fields: DefaultHeaderFields
  /// The `User-Agent` of requests for a tunnel through a proxy.
  let userAgent: String?

  init(
    _ settings: [CurlSetting], _ configuration: CurlConfiguration, respondsToChallenges: Bool = false,
    _ fields: DefaultHeaderFields
  ) {
    self.settings = settings
    self.fields = fields
    userAgent = configuration.userAgent
    self.respondsToChallenges = respondsToChallenges
    httpVersion = configuration.httpVersion
    sendsEarlyData = configuration.tls.sendsEarlyData
    connectLimit = configuration.timeouts.connectMilliseconds
    serviceConnectLimit = configuration.timeouts.serviceMilliseconds
    if case .proxy(let found) = configuration.proxy {
      respondsToProxyChallenges = found.user != nil && found.authentication == .digest
      forwardsPlainRequests = !found.tunnelsPlainRequests
    } else {
      (respondsToProxyChallenges, forwardsPlainRequests) = (false, false)
    }
    switch configuration.proxy {
    // `.byScheme` does not occur here: `forScheme(isSecure:)` has replaced it by the proxy of the scheme.
    case .environment, .byScheme: (proxy, bypass, proxiesLoopback) = (nil, nil, false)
    case .none: (proxy, bypass, proxiesLoopback) = ("", nil, false)
    case .proxy(let found):
      (proxy, bypass, proxiesLoopback) = (found.url, found.bypassed, found.servesLoopback)
    }
  }
}

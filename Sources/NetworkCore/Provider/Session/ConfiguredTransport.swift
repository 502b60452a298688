internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The transport for a `URLSessionConfiguration`.
struct ConfiguredTransport {
  let transport: any Transport
  /// Whether the transport follows redirects by itself.
  let followsRedirects: Bool
  /// The cache of the transport; `nil` if there is none.
  let cache: HTTPCache?

  init(_ configuration: URLSessionConfiguration, trust: ServerTrustManager?, followsRedirects: Bool) {
    let mocks = configuration.protocolClasses?.mocks ?? []
    // A redirect may lead from a mock to a server, and back, so they are followed above both.
    self.followsRedirects = followsRedirects && mocks.isEmpty
    do {
      var settings = try CurlConfiguration(configuration)
      settings.serverTrustManager = trust
      settings.redirects = self.followsRedirects ? .follow : .doNotFollow
      let curl = try CurlTransport(configuration: settings)
      let base: any Transport = mocks.isEmpty ? curl : URLProtocolTransport(mocks, before: curl)
      let memory = configuration.urlCache?.memoryCapacity ?? 0
      cache = memory > 0 ? try HTTPCache(memoryCapacity: memory, diskCapacity: 0) : nil
      transport = cache.map { CachingTransport(base, cache: $0) } ?? base
    } catch {
      cache = nil
      transport = UnusableTransport(reason: error.localizedDescription)
    }
  }
}

extension CurlConfiguration {
  fileprivate init(_ configuration: URLSessionConfiguration) throws(CurlConfigurationError) {
    self.init()
    // libcurl's integers hold no longer time, and infinity is none.
    let longest = 2_000_000.0
    let total = configuration.timeoutIntervalForResource
    timeouts.total = total <= longest ? Duration.inSeconds(total) : nil
    // Foundation's default of six, which browsers used before HTTP/2, is not applied.
    let limit = configuration.httpMaximumConnectionsPerHost
    if limit != URLSessionConfiguration.default.httpMaximumConnectionsPerHost {
      connections.limitPerHost = min(max(1, limit), Int(Int32.max))
    }
    let keepsCookies =
      configuration.httpShouldSetCookies && configuration.httpCookieStorage != nil
      && configuration.httpCookieAcceptPolicy != .never
    cookies = keepsCookies ? .memory : .none
    if let proxies = configuration.connectionProxyDictionary {
      proxy = try ProxyPolicy(connectionProxyDictionary: proxies)
    }
  }
}

extension [AnyClass] {
  /// The classes except Foundation's own, which are left out because they would accept every request.
  fileprivate var mocks: [URLProtocol.Type] {
    compactMap { $0 as? URLProtocol.Type }.filter { type in
      let name = String(reflecting: type)
      return !["FoundationNetworking.", "_NS", "NS", "__C."].contains { name.hasPrefix($0) }
    }
  }
}

extension URLSessionConfiguration {
  /// The header fields that are added to each request, sorted by name.
  public var headers: HTTPHeaders {
    get {
      let fields = (httpAdditionalHeaders ?? [:]).map { name, value in ("\(name)", "\(value)") }
      return HTTPHeaders([String: String](fields, uniquingKeysWith: { first, _ in first }))
    }
    set { httpAdditionalHeaders = newValue.dictionary }
  }
}

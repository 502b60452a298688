internal import CNetworkCoreCurl
internal import Foundation

extension CurlEasy {
  /// Sets the options that differ between requests.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - content: its body.
  ///   - length: the length of the body in bytes; `nil` if unknown.
  ///   - isNewConnection: whether the request must not use a connection that has been used before.
  ///   - waitsForHandshake: whether the request waits for a connection to the same host that is opening, and may be
  ///     able to carry several requests (`PIPEWAIT`).
  ///   - alternative: the alternative service to send it to; `nil` for the origin itself.
  ///   - cookies: those of the jar, in the syntax of a `Cookie` field; `nil` if the request sends only its own.
  func prepare(
    _ request: TransportRequest, _ content: TransportRequest.Body, length: Int64?,
    isNewConnection: Bool = false, waitsForHandshake: Bool, alternative: AlternativeService? = nil,
    cookies: [UInt8]? = nil
  ) {
    errorBuffer[0] = 0
    reported = ReportedConnection()
    limitsWindow = false
    sockets?.removeOpened()
    if library.defects.mishandlesFirstContinuation {
      continuationLineCheck = ContinuationLineCheck()
      set(CCURLOPT_HEADER, 1)
    }
    if request.url != applied.url || alternative != applied.alternative
      || request.upgradesConnection
    {
      setAddress(request.url)
      applied.isSecure = request.url.withBytes { $0.hasLowercasedPrefix("https") }
      setVersion(request.upgradesConnection ? .http1_1 : applied.profile?.httpVersion ?? .automatic)
      // A TCP proxy does not carry QUIC.
      setAlternative(applied.bypassesProxy || applied.profile?.proxy == nil ? alternative : nil)
      applied.url = request.url
    }
    // Not for plain HTTP: there libcurl learns the version from the first response, and a server that delays that
    // response would delay every other request.
    let waitsForHandshake = waitsForHandshake && applied.maySpeakHTTP2
    if waitsForHandshake != applied.waitsForHandshake {
      set(CCURLOPT_PIPEWAIT, waitsForHandshake ? 1 : 0)
      applied.waitsForHandshake = waitsForHandshake
    }
    if request.upgradesConnection {
      // A proxy that forwards requests would keep the `Upgrade` field to itself.
      set(CCURLOPT_HTTPPROXYTUNNEL, 1)
      mustNotBeReused = true
    }
    setCookies(cookies, of: request)
    // The body before the method: POSTFIELDS makes the request a POST.
    let lines = arena.write(request, content, leavesCookies: cookies != nil, or: applied.profile?.fields)
    set(CCURLOPT_HTTPHEADER, pointer: lines.first)
    // Without POSTFIELDS, libcurl calls `curlReadCallback` for the bytes.
    set(CCURLOPT_POSTFIELDS, pointer: lines.body)
    setMethod(request.method, hasContent: content != .none, length: length)
    let needsOwnConnection =
      library.defects.limitsPriorKnowledgeToOneRequest && applied.maySpeakHTTP2 && !applied.isSecure
    set(
      CCURLOPT_FRESH_CONNECT, isNewConnection || needsOwnConnection || request.upgradesConnection ? 1 : 0)
    // libcurl does not report the endpoints of a connection to a Unix domain socket, so `hasUnsolicitedBytes`
    // could not find its socket. A new connection costs next to nothing. With HTTP/2, a response always
    // belongs to a request.
    let closesConnection =
      needsOwnConnection || request.upgradesConnection || applied.hasUnixSocket && !applied.maySpeakHTTP2
    if closesConnection != applied.forbidsReuse { forbidReuse(closesConnection) }
    if applied.profile?.sendsEarlyData == true {
      set(CCURLOPT_SSL_OPTIONS, request.method.isSafe && content == .none ? CCURLSSLOPT_EARLYDATA : 0)
    }
    set(CCURLOPT_NOPROGRESS, content == .none || length == 0 ? 1 : 0)
  }

  /// Sets whether the connection of the current request closes after it.
  func forbidReuse(_ closesConnection: Bool = true) {
    set(CCURLOPT_FORBID_REUSE, closesConnection ? 1 : 0)
    applied.forbidsReuse = closesConnection
  }

  private func setAddress(_ url: String) {
    let (socket, profile) = (UnixSocketURL(url), applied.profile)
    // Set only if it may have been set before, because hardly any request needs it.
    if socket != nil || applied.hasUnixSocket {
      set(CCURLOPT_UNIX_SOCKET_PATH, string: socket?.socket)
      // Restricted to a version of IP, libcurl (7.88) connects to no Unix domain socket.
      set(CCURLOPT_IPRESOLVE, CCURL_IPRESOLVE_WHATEVER)
      let family = profile?.settings.first { $0.option == CCURLOPT_IPRESOLVE }
      if socket == nil, let family { _ = set(family) }
    }
    applied.hasUnixSocket = socket != nil
    // As libcurl sends it: it would drop a fragment as well.
    setURL((socket?.url ?? url).withoutFragment.withUppercaseEscapesInPath)
    // An empty string means no proxy, and `nil` means the environment's proxy, which is not meant for
    // requests to this machine itself.
    applied.bypassesProxy =
      socket != nil || profile?.proxy == "" || profile?.proxiesLoopback != true && Origin.isLoopback(url)
    set(CCURLOPT_PROXY, string: applied.bypassesProxy ? "" : profile?.proxy)
    // Without it libcurl reads the environment for each request, even if there is no proxy.
    set(CCURLOPT_NOPROXY, string: applied.bypassesProxy ? "*" : profile?.bypass)
    // For CONNECT, which does not have the request's fields. Set only if there may be a proxy, because this
    // option makes libcurl write the field again for each request.
    set(CCURLOPT_USERAGENT, string: applied.bypassesProxy ? nil : profile?.userAgent)
  }

  /// Sets the URL as text, for libcurl's reports, and in parsed form, which libcurl prefers.
  private func setURL(_ url: String) {
    set(CCURLOPT_URL, string: url)
    // For each request, libcurl (7.88) copies the parsed URL without the zone of an IPv6 address.
    let isParsed =
      !url.utf8.contains(UInt8(ascii: "[")) && parsedURL != nil
      && curl.pointee.url_set(parsedURL, CInt(CCURLUPART_URL), url, 0) == 0
    // Without a parsed URL, libcurl parses the text, and reports an error if it cannot. The text is set again
    // because libcurl (8.12 and newer, at least) drops it together with the parsed URL.
    set(CCURLOPT_CURLU, pointer: isParsed ? parsedURL : nil)
    if !isParsed { set(CCURLOPT_URL, string: url) }
  }

  /// Sets the cookies of the jar followed by the request's own, all in one field (RFC 6265, section 5.4).
  func setCookies(_ stored: [UInt8]?, of request: TransportRequest) {
    guard stored != nil || applied.hasCookies else { return }
    let own = request.headers.filter { $0.isNamed("cookie") }.map { Array($0.value.utf8) }
    let all = stored.map { [$0].filter { !$0.isEmpty } + own } ?? []
    let text = all.joined(separator: "; ".utf8).map { CChar(bitPattern: $0) } + [0]
    applied.hasCookies = !all.isEmpty
    _ = ccurl_setopt_string(curl, handle, CCURLOPT_COOKIE, applied.hasCookies ? text : nil)
  }

  /// Sets HTTP/2 if TLS can negotiate it; a plain connection uses HTTP/1.1.
  private func setVersion(_ policy: CurlConfiguration.VersionPolicy) {
    let version =
      switch policy {
      case .automatic, .http3IfAdvertised: applied.isSecure ? CCURL_HTTP_VERSION_2TLS : CCURL_HTTP_VERSION_1_1
      case .http1_1: CCURL_HTTP_VERSION_1_1
      case .http2PriorKnowledge: CCURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
      case .http3: applied.isSecure ? CCURL_HTTP_VERSION_3 : CCURL_HTTP_VERSION_1_1
      }
    applied.maySpeakHTTP2 = version != CCURL_HTTP_VERSION_1_1
    set(CCURLOPT_HTTP_VERSION, version)
    if library.defects.leavesGoAwayRetriesToTransport { set(CCURLOPT_VERBOSE, applied.maySpeakHTTP2 ? 1 : 0) }
  }

  /// Makes libcurl connect to an alternative service, with HTTP/3 only; otherwise it would use its existing
  /// connections.
  private func setAlternative(_ next: AlternativeService?) {
    guard next != nil || applied.alternative != nil else { return }
    applied.alternative = next
    applied.connectToList = next.map { CurlStringList([$0.destination]) }
    set(CCURLOPT_CONNECT_TO, pointer: applied.connectToList?.first)
    if next != nil { set(CCURLOPT_HTTP_VERSION, CCURL_HTTP_VERSION_3ONLY) }
    guard let profile = applied.profile else { return }
    set(CCURLOPT_CONNECTTIMEOUT_MS, next == nil ? profile.connectLimit : profile.serviceConnectLimit)
  }

  private func setMethod(_ method: HTTPMethod, hasContent: Bool, length: Int64?) {
    // GET first, which also undoes NOBODY and POST of the previous request.
    set(CCURLOPT_HTTPGET, 1)
    if hasContent {
      set(CCURLOPT_POST, 1)
      // -1 means unknown; HTTP/1.1 then sends chunks.
      _ = ccurl_setopt_offset(curl, handle, CCURLOPT_POSTFIELDSIZE_LARGE, length ?? -1)
    } else if method == .head {
      set(CCURLOPT_NOBODY, 1)
    }
    let isImpliedMethod = method == (hasContent ? .post : .get) || method == .head
    set(CCURLOPT_CUSTOMREQUEST, string: isImpliedMethod ? nil : method.rawValue)
  }
}

internal import CNetworkCoreCurl
internal import Foundation

/// A libcurl easy handle with the memory that it points to; reused for one transfer after the other.
///
/// Used on the loop's thread only. `init` sets the options that are the same for every request; `prepare(_:)`
/// sets all others every time, so that no option of the last request remains in the next.
final class CurlEasy {
  let curl: UnsafePointer<ccurl_library>
  let handle: UnsafeMutableRawPointer
  /// The transfer that uses the handle; libcurl's callbacks reach it through this property.
  var transfer: CurlTransfer?
  @exclusivity(unchecked) private var arena = RequestArena()
  /// `CURL_ERROR_SIZE` bytes for libcurl's error messages.
  private let errorBuffer: UnsafeMutablePointer<CChar>
  /// Whether libcurl leaves it to the transport to retry a request after a reused connection has broken.
  private(set) var leavesRetriesToTransport = false
  /// Whether the handle must not be used for another request; see `noteFailure()`.
  private(set) var mustNotBeReused = false
  /// The URL of the last request, whose options the handle still has; `nil` if it has none.
  private var url: String?
  /// The same URL, parsed by libcurl; as text, libcurl would parse it again for each request.
  private let parsedURL: UnsafeMutableRawPointer?
  /// Whether the handle has cookies.
  private var hasCookies = false
  /// Whether the last request went to a Unix domain socket.
  private var hasUnixSocket = false
  /// Whether the connection of the current request closes after it.
  private var forbidsReuse = false
  /// Whether several transfers may share the connection.
  private(set) var maySpeakHTTP2 = false
  private(set) var isSecure = false
  /// The alternative service that the request goes to; `nil` for the origin itself.
  private(set) var alternative: AlternativeService?
  /// The host and port of that service for libcurl; the handle points to it.
  private var connectToList: CurlStringList?
  /// Whether no proxy is used, whatever the environment says.
  private var bypassesProxy = false
  let library: CurlLibrary
  /// Whether the connection of the current request has agreed on HTTP/2, as far as known; see
  /// `hasNegotiatedHTTP2`.
  private(set) var negotiatedHTTP2: Bool?
  // Without exclusivity checks, like everything that the loop's thread uses several times for each request.
  /// Inspects the lines up to the first field of a response.
  @exclusivity(unchecked) private var continuationLineCheck: ContinuationLineCheck?
  /// The options that the handle has in addition to the constant ones; this also keeps the memory alive that
  /// they point to.
  private var profile: CurlProfile?
  /// The connection of the current request, as far as libcurl has reported it.
  private(set) var connection: ConnectionEndpoints?
  /// The HTTP/2 stream of the request on that connection, if libcurl has logged it.
  private var stream: UInt32?
  /// `nil` for a handle that opens no sockets.
  @exclusivity(unchecked) var sockets: ConnectionSockets?

  /// Creates a handle; `nil` if libcurl has no memory for one.
  ///
  /// - Parameters:
  ///   - library: libcurl.
  ///   - sockets: the registry of its connections' sockets; `nil` for a handle that opens none.
  init?(library: CurlLibrary, sockets: SocketRegistry? = nil) {
    guard let handle = library.table.pointee.easy_init() else { return nil }
    self.library = library
    self.curl = library.table
    self.sockets = sockets.map { ConnectionSockets(registry: $0) }
    self.handle = handle
    parsedURL = curl.pointee.url_init()
    errorBuffer = .allocate(capacity: CCURL_ERROR_SIZE)
    errorBuffer.initialize(repeating: 0, count: CCURL_ERROR_SIZE)
    setConstantOptions()
  }

  deinit {
    curl.pointee.easy_cleanup(handle)
    curl.pointee.url_cleanup(parsedURL)
    errorBuffer.deallocate()
  }

  /// Whether libcurl has written an error message for the current request.
  var hasReason: Bool { errorBuffer[0] != 0 }

  /// libcurl's error message, or its general text for the code.
  func reason(for code: Int) -> String {
    if hasReason { return String(cString: errorBuffer) }
    return curl.pointee.easy_strerror(CInt(code)).map { String(cString: $0) } ?? "libcurl's error \(code)"
  }

  /// Resumes a paused transfer in both directions.
  ///
  /// - Returns: libcurl's code. libcurl delivers the data that it has kept within this call.
  func unpause() -> Int {
    Int(curl.pointee.easy_pause(handle, 0))
  }

  /// Makes an HTTP/2 server send no more than a byte at a time; see `LibcurlDefects.growsPausedWindows`.
  var limitsWindow = false {
    didSet {
      guard limitsWindow != oldValue, library.defects.growsPausedWindows else { return }
      _ = ccurl_setopt_offset(curl, handle, CCURLOPT_MAX_RECV_SPEED_LARGE, limitsWindow ? 1 : 0)
    }
  }

  /// Pauses receiving; sending continues unless it is paused as well.
  func pauseReceiving(isSendingPaused: Bool) {
    _ = curl.pointee.easy_pause(handle, CInt(CCURLPAUSE_RECV | (isSendingPaused ? CCURLPAUSE_SEND : 0)))
  }

  func set(_ option: Int, _ value: Int) {
    _ = ccurl_setopt_long(curl, handle, option, value)
  }

  func set(_ option: Int, string value: String?) {
    _ = ccurl_setopt_string(curl, handle, option, value)
  }

  func set(_ option: Int, pointer: UnsafeMutableRawPointer?) {
    _ = ccurl_setopt_pointer(curl, handle, option, pointer)
  }

  /// Sets an option and returns libcurl's result.
  func set(_ setting: CurlSetting) -> Int {
    guard !library.unsupportedOptions.contains(setting.name) else { return CCURLE_UNKNOWN_OPTION }
    switch setting.value {
    case .long(let value): return ccurl_setopt_long(curl, handle, setting.option, value)
    case .string(let value): return ccurl_setopt_string(curl, handle, setting.option, value)
    case .blob(let blob):
      var value = blob.value
      return ccurl_setopt_blob(curl, handle, setting.option, &value)
    case .list(let list): return ccurl_setopt_pointer(curl, handle, setting.option, list.first)
    }
  }

  /// The host of the configured proxy.
  var proxyHost: String? { profile?.proxy.flatMap(Origin.init(url:))?.host }

  /// Whether the client sends a certificate to servers.
  var sendsClientCertificate: Bool {
    isSecure
      && profile?.settings.contains { $0.option == CCURLOPT_SSLCERT || $0.option == CCURLOPT_SSLCERT_BLOB }
        == true
  }

  /// Whether another response may follow a response with the status 401 or 407.
  func respondsToChallenge(_ status: Int) -> Bool {
    status == 401 && profile?.respondsToChallenges == true
      || status == 407 && profile?.respondsToProxyChallenges == true
  }

  /// Whether to accept a head line that arrives through the body callback; `nil` for bytes of a body.
  func acceptsHeadLine(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    continuationLineCheck?.accepts(bytes)
  }

  /// Whether libcurl may first send the request to a proxy without its body; `false` for requests through a
  /// tunnel.
  var probesProxy: Bool {
    !bypassesProxy && !isSecure && profile?.forwardsPlainRequests == true && respondsToChallenge(407)
  }

  /// Notes that libcurl has accepted a line of a head.
  func noteAccepted(_ line: UnsafeRawBufferPointer, endsHead: Bool) {
    guard continuationLineCheck != nil, endsHead || ContinuationLineCheck.isField(line) else { return }
    continuationLineCheck = nil
    set(CCURLOPT_HEADER, 0)
  }

  /// Notes that the request gets a connection, whose endpoints may be unknown; returns whether it may have
  /// been used before.
  func noteConnection(_ connection: ConnectionEndpoints?) -> Bool {
    self.connection = connection
    stream = nil
    negotiatedHTTP2 = maySpeakHTTP2 && isSecure ? hasNegotiatedHTTP2 : nil
    guard let connection else { return true }
    return sockets?.noteConnection(connection) != false
  }

  /// Whether unsolicited bytes have arrived on the reused connection of the request.
  ///
  /// With HTTP/2, arriving bytes may belong to the protocol itself.
  var hasUnsolicitedBytes: Bool {
    guard let connection, isSecure || !maySpeakHTTP2 else { return false }
    return sockets?.registry.hasInput(on: connection, isSecure: isSecure) == true
  }

  /// Notes that libcurl has ended a transfer whose response had begun, or has retried a request.
  ///
  /// libcurl (8.12 to 8.23) remembers a refused stream until it retries a request for that reason. The next
  /// request of the handle would be retried after any failure, whatever its method.
  ///
  /// libcurl (8.12 to 8.16) also counts its retries by handle, and fails the sixth, whichever request it
  /// belongs to.
  func noteFailure() {
    if maySpeakHTTP2 { mustNotBeReused = true }
  }

  /// Notes a message of libcurl's log about the request or its connection.
  func noteLogLine(_ line: GoAwayLogLine) {
    switch line {
    case .stream(let number): stream = number
    case .goAway(let last): if let connection { sockets?.registry.noteGoAway(on: connection, last: last) }
    }
  }

  /// Whether the server has left the connection of the current request without processing the request.
  var isExcludedByGoAway: Bool {
    guard let connection, let stream, let last = sockets?.registry.lastProcessedStream(of: connection) else {
      return false
    }
    return stream > last
  }

  /// Notes that the head of a response has arrived.
  func noteResponse(isMultiplexed: Bool) {
    if isSecure, !isMultiplexed, let connection { sockets?.registry.noteSecureResponse(on: connection) }
  }

  /// Makes libcurl send the data that it has buffered for an HTTP/2 connection, such as the reset of another
  /// stream.
  ///
  /// Pausing and resuming makes it send a window update if one is needed, and all other pending data in any
  /// case.
  func flushConnection() {
    _ = curl.pointee.easy_pause(handle, CInt(CCURLPAUSE_RECV))
    _ = curl.pointee.easy_pause(handle, 0)
  }

  /// Sets the options of a profile on the handle.
  ///
  /// Most of them were tried when the transport was created, but not those that an evaluator requires later.
  ///
  /// - Throws: `TransferError.certificate` or `.other` if libcurl refuses an option; the request must not be
  ///   sent then.
  func apply(_ profile: CurlProfile, for url: String) throws(TransferError) {
    guard profile !== self.profile else { return }
    // Restores libcurl's defaults first, because one profile may set options that another does not mention.
    if self.profile != nil { reset() }
    for setting in profile.settings {
      let code = set(setting)
      guard code != CCURLE_OK else { continue }
      reset()
      throw TransferError(refused: setting, code: code, easy: self, url: url, version: library.version)
    }
    self.profile = profile
    self.url = nil
  }

  private func reset() {
    curl.pointee.easy_reset(handle)
    profile = nil
    (hasCookies, forbidsReuse) = (false, false)
    url = nil
    (alternative, connectToList) = (nil, nil)
    setConstantOptions()
  }

  private func setConstantOptions() {
    _ = ccurl_setopt_prerequest(curl, handle, CCURLOPT_PREREQFUNCTION, curlPrerequestCallback)
    // The callbacks receive this object. Unretained is sound because the loop owns the object while the
    // handle is in its multi handle, and `deinit` frees the handle before the object.
    let context = Unmanaged.passUnretained(self).toOpaque()
    set(CCURLOPT_PRIVATE, pointer: context)
    set(CCURLOPT_HEADERDATA, pointer: context)
    set(CCURLOPT_WRITEDATA, pointer: context)
    set(CCURLOPT_READDATA, pointer: context)
    set(CCURLOPT_SEEKDATA, pointer: context)
    set(CCURLOPT_XFERINFODATA, pointer: context)
    set(CCURLOPT_PREREQDATA, pointer: context)
    _ = ccurl_setopt_write(curl, handle, CCURLOPT_HEADERFUNCTION, curlHeaderCallback)
    _ = ccurl_setopt_write(curl, handle, CCURLOPT_WRITEFUNCTION, curlWriteCallback)
    _ = ccurl_setopt_read(curl, handle, CCURLOPT_READFUNCTION, curlReadCallback)
    _ = ccurl_setopt_seek(curl, handle, CCURLOPT_SEEKFUNCTION, curlSeekCallback)
    _ = ccurl_setopt_progress(curl, handle, CCURLOPT_XFERINFOFUNCTION, curlProgressCallback)
    set(CCURLOPT_ERRORBUFFER, pointer: errorBuffer)
    if library.defects.leavesGoAwayRetriesToTransport {
      _ = ccurl_setopt_debug(curl, handle, curlDebugCallback, context)
    }
    if let sockets {
      _ = ccurl_setopt_open_socket(curl, handle, curlOpenSocketCallback, context)
      let registry = Unmanaged.passUnretained(sockets.registry).toOpaque()
      _ = ccurl_setopt_close_socket(curl, handle, curlCloseSocketCallback, registry)
    }

    // If a response has no length, only the end of the connection shows whether it is complete (RFC 9112,
    // section 9.8). And libcurl must not buffer TLS records for which the socket reports no event.
    ccurl_setopt_tls(curl, handle)
    // libcurl retries any request if a reused connection breaks before the response or the server refuses the
    // stream, and does not report which of the two happened. With this option, which was added for RTSP and
    // has no other effect on HTTP, it retries only after a refused stream (all versions).
    // `CurlTransfer.changeConnection` retries idempotent methods after a broken connection.
    leavesRetriesToTransport =
      ccurl_setopt_long(curl, handle, CCURLOPT_RTSP_REQUEST, CCURL_RTSPREQ_RECEIVE) == CCURLE_OK
    // libcurl must not install signal handlers in a multi-threaded program; the loop's thread blocks SIGPIPE.
    set(CCURLOPT_NOSIGNAL, 1)
    // CURLOPT_FOLLOWLOCATION stays off: libcurl cannot apply the rules of `TransportRequest.redirected` to
    // every method.
    //
    // libcurl must refuse all schemes other than HTTP's, whatever a URL says.
    if ccurl_setopt_string(curl, handle, CCURLOPT_PROTOCOLS_STR, "http,https") != CCURLE_OK {
      set(CCURLOPT_PROTOCOLS, CCURL_PROTOCOLS_HTTP_AND_HTTPS)
    }
    // The body as received; see `BodyDecoder`.
    set(CCURLOPT_HTTP_CONTENT_DECODING, 0)
    set(CCURLOPT_BUFFERSIZE, CurlTransport.bufferSize)
    set(CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // Without it, removing a handle waits for a name lookup in progress and blocks every other transfer.
    set(CCURLOPT_QUICK_EXIT, 1)
  }
}

extension CurlEasy {
  /// Sets the options that differ between requests.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - content: its body.
  ///   - length: the length of the body in bytes; `nil` if unknown.
  ///   - isNewConnection: whether the request must not use a connection that has been used before.
  ///   - alternative: the alternative service to send it to; `nil` for the origin itself.
  ///   - cookies: those of the jar, in the syntax of a `Cookie` field; `nil` if the request sends only its own.
  func prepare(
    _ request: TransportRequest, _ content: TransportRequest.Body, length: Int64?,
    isNewConnection: Bool = false, alternative: AlternativeService? = nil, cookies: [UInt8]? = nil
  ) {
    errorBuffer[0] = 0
    (connection, stream, negotiatedHTTP2) = (nil, nil, nil)
    limitsWindow = false
    sockets?.removeOpened()
    if library.defects.mishandlesFirstContinuation {
      continuationLineCheck = ContinuationLineCheck()
      set(CCURLOPT_HEADER, 1)
    }
    if request.url != url || alternative != self.alternative {
      setAddress(request.url)
      isSecure = request.url.withBytes { $0.hasLowercasedPrefix("https") }
      setVersion(profile?.httpVersion ?? .automatic)
      // A TCP proxy does not carry QUIC.
      setAlternative(bypassesProxy || profile?.proxy == nil ? alternative : nil)
      url = request.url
    }
    setCookies(cookies, of: request)
    // The body before the method: POSTFIELDS makes the request a POST.
    let lines = arena.write(request, content, leavesCookies: cookies != nil, or: profile?.fields)
    set(CCURLOPT_HTTPHEADER, pointer: lines.first)
    // Without POSTFIELDS, libcurl calls `curlReadCallback` for the bytes.
    set(CCURLOPT_POSTFIELDS, pointer: lines.body)
    setMethod(request.method, hasContent: content != .none, length: length)
    let needsOwnConnection = library.defects.limitsPriorKnowledgeToOneRequest && maySpeakHTTP2 && !isSecure
    set(CCURLOPT_FRESH_CONNECT, isNewConnection || needsOwnConnection ? 1 : 0)
    // libcurl does not report the endpoints of a connection to a Unix domain socket, so `hasUnsolicitedBytes`
    // could not find its socket. A new connection costs next to nothing. With HTTP/2, a response always
    // belongs to a request.
    let closesConnection = needsOwnConnection || hasUnixSocket && !maySpeakHTTP2
    if closesConnection != forbidsReuse { forbidReuse(closesConnection) }
    if profile?.sendsEarlyData == true {
      set(CCURLOPT_SSL_OPTIONS, request.method.isSafe && content == .none ? CCURLSSLOPT_EARLYDATA : 0)
    }
    set(CCURLOPT_NOPROGRESS, content == .none || length == 0 ? 1 : 0)
  }

  /// Sets whether the connection of the current request closes after it.
  func forbidReuse(_ closesConnection: Bool = true) {
    set(CCURLOPT_FORBID_REUSE, closesConnection ? 1 : 0)
    forbidsReuse = closesConnection
  }

  private func setAddress(_ url: String) {
    let socket = UnixSocketURL(url)
    // Set only if it may have been set before, because hardly any request needs it.
    if socket != nil || hasUnixSocket { set(CCURLOPT_UNIX_SOCKET_PATH, string: socket?.socket) }
    hasUnixSocket = socket != nil
    // libcurl does not send a fragment, but would resolve a `Location` against it.
    setURL((socket?.url ?? url).withoutFragment.withUppercaseEscapesInPath)
    // An empty string means no proxy, and `nil` means the environment's proxy, which is not meant for
    // requests to this machine itself.
    bypassesProxy =
      socket != nil || profile?.proxy == "" || profile?.proxiesLoopback != true && Origin.isLoopback(url)
    set(CCURLOPT_PROXY, string: bypassesProxy ? "" : profile?.proxy)
    // Without it libcurl reads the environment for each request, even if there is no proxy.
    set(CCURLOPT_NOPROXY, string: bypassesProxy ? "*" : profile?.bypass)
    // For CONNECT, which does not have the request's fields. Set only if there may be a proxy, because this
    // option makes libcurl write the field again for each request.
    set(CCURLOPT_USERAGENT, string: bypassesProxy ? nil : profile?.userAgent)
  }

  /// Sets the URL as text, for libcurl's reports, and in parsed form, which libcurl prefers.
  private func setURL(_ url: String) {
    set(CCURLOPT_URL, string: url)
    // libcurl copies the parsed URL for each request, and the copy lacks the zone of an IPv6 address (7.88).
    let isParsed =
      !url.utf8.contains(UInt8(ascii: "[")) && parsedURL != nil
      && curl.pointee.url_set(parsedURL, CInt(CCURLUPART_URL), url, 0) == 0
    // Without a parsed URL, libcurl parses the text, and reports an error if it cannot. The text is set again
    // because libcurl, at least from 8.12 on, drops it together with the parsed URL.
    set(CCURLOPT_CURLU, pointer: isParsed ? parsedURL : nil)
    if !isParsed { set(CCURLOPT_URL, string: url) }
  }

  /// Sets the cookies of the jar followed by the request's own, all in one field (RFC 6265, section 5.4).
  func setCookies(_ stored: [UInt8]?, of request: TransportRequest) {
    guard stored != nil || hasCookies else { return }
    let own = request.headers.filter { $0.isNamed("cookie") }.map { Array($0.value.utf8) }
    let all = stored.map { [$0].filter { !$0.isEmpty } + own } ?? []
    let text = all.joined(separator: "; ".utf8).map { CChar(bitPattern: $0) } + [0]
    hasCookies = !all.isEmpty
    _ = ccurl_setopt_string(curl, handle, CCURLOPT_COOKIE, hasCookies ? text : nil)
  }

  /// Sets HTTP/2 if TLS can negotiate it; a plain connection uses HTTP/1.1.
  ///
  /// `PIPEWAIT` makes requests wait for the handshake of a connection to the same host that may be able to
  /// carry all of them. It is off for plain HTTP: there libcurl learns the version from the first response,
  /// and a server that delays that response would delay every other request.
  private func setVersion(_ policy: CurlConfiguration.VersionPolicy) {
    let version =
      switch policy {
      case .automatic, .http3IfAdvertised: isSecure ? CCURL_HTTP_VERSION_2TLS : CCURL_HTTP_VERSION_1_1
      case .http1_1: CCURL_HTTP_VERSION_1_1
      case .http2PriorKnowledge: CCURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
      case .http3: isSecure ? CCURL_HTTP_VERSION_3 : CCURL_HTTP_VERSION_1_1
      }
    maySpeakHTTP2 = version != CCURL_HTTP_VERSION_1_1
    set(CCURLOPT_HTTP_VERSION, version)
    if library.defects.leavesGoAwayRetriesToTransport { set(CCURLOPT_VERBOSE, maySpeakHTTP2 ? 1 : 0) }
    set(CCURLOPT_PIPEWAIT, version == CCURL_HTTP_VERSION_1_1 ? 0 : 1)
  }

  /// Makes libcurl connect to an alternative service, with HTTP/3 only; otherwise it would use its existing
  /// connections.
  private func setAlternative(_ next: AlternativeService?) {
    guard next != nil || alternative != nil else { return }
    alternative = next
    connectToList = next.map { CurlStringList([$0.destination]) }
    set(CCURLOPT_CONNECT_TO, pointer: connectToList?.first)
    if next != nil { set(CCURLOPT_HTTP_VERSION, CCURL_HTTP_VERSION_3ONLY) }
    guard let profile else { return }
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

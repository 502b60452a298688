internal import CCurl
internal import Foundation

/// An easy handle of libcurl with the memory it points into; reused for one transfer after the other.
///
/// Used on the loop's thread only. Options that are the same for every request are set once, in `init`;
/// `prepare(_:)` sets each of the others every time, so that nothing of the last request can show in the next.
final class CurlEasy {
  let curl: UnsafePointer<ccurl_library>
  let handle: UnsafeMutableRawPointer
  /// The transfer that has the handle; libcurl's callbacks reach it through here.
  var transfer: CurlTransfer?
  @exclusivity(unchecked) private var memory = RequestMemory()
  /// `CURL_ERROR_SIZE` bytes that libcurl writes an explanation to.
  private let errorBuffer: UnsafeMutablePointer<CChar>
  /// Whether libcurl leaves it to the transport to send a request again after a kept connection has broken.
  private(set) var leavesRetries = false
  /// Whether the handle must not be used for another request: see `noteFailure()`.
  private(set) var isSpent = false
  /// The URL of the last request, whose options the handle has; `nil` where it has none.
  private var url: String?
  /// That URL as libcurl has parsed it: of one that it gets as text, it would do that for each request anew.
  private let parsedURL: UnsafeMutableRawPointer?
  /// Whether the last request had cookies of its own beside those of a jar.
  private var hasOwnCookies = false
  /// Whether the last request went to a Unix domain socket.
  private var hasUnixSocket = false
  /// Whether the connection of the current request closes behind it.
  private var forbidsReuse = false
  /// Whether the connection may be one that several transfers share.
  private(set) var maySpeakHTTP2 = false
  private(set) var isSecure = false
  /// The advertised service that the request goes to; `nil` for the origin itself.
  private(set) var alternative: AlternativeService?
  /// Where libcurl connects to for that service; the handle points into it.
  private var destination: CurlList?
  /// Whether no proxy is asked, whatever the environment says.
  private var isDirect = false
  let library: CurlLibrary
  /// Whether the connection of the current request has agreed on HTTP/2 as far as that is known; see `hasAgreedOnHTTP2`.
  private(set) var agreedOnHTTP2: Bool?
  // Without checks, as all that the loop's thread uses several times for each request.
  /// Looks at the lines up to the first field of an answer.
  @exclusivity(unchecked) private var guardian: HeadGuard?
  /// The options that the handle has beside the constant ones; it also keeps alive what they point to.
  private var profile: CurlProfile?
  /// The connection that the current request has got, as far as libcurl has told it.
  private(set) var connection: ConnectionEnds?
  /// The stream that the request has there, of HTTP/2 and as far as libcurl notes it.
  private var stream: UInt32?
  /// `nil` for a handle that opens none.
  @exclusivity(unchecked) var sockets: ConnectionSockets?

  /// Makes a handle; `nil` where libcurl has no memory for one.
  ///
  /// - Parameters:
  ///   - library: libcurl.
  ///   - sockets: where the sockets of its connections are to be found; `nil` for a handle that opens none.
  init?(library: CurlLibrary, sockets: SocketBook? = nil) {
    guard let handle = library.table.pointee.easy_init() else { return nil }
    self.library = library
    self.curl = library.table
    self.sockets = sockets.map { ConnectionSockets(book: $0) }
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

  /// Whether libcurl has explained a failure of the current request.
  var hasReason: Bool { errorBuffer[0] != 0 }

  /// libcurl's explanation of a failure, or its general words for the code.
  func reason(for code: Int) -> String {
    if hasReason { return String(cString: errorBuffer) }
    return curl.pointee.easy_strerror(CInt(code)).map { String(cString: $0) } ?? "libcurl's error \(code)"
  }

  /// Has a paused transfer try again to send and to receive.
  ///
  /// - Returns: libcurl's code: what it has kept meanwhile is delivered within this call.
  func goOn() -> Int {
    Int(curl.pointee.easy_pause(handle, 0))
  }

  /// Has a server of HTTP/2 send no more than a byte at a time: see `CurlLibrary.opensPausedWindows`.
  var limitsWindow = false {
    didSet {
      guard limitsWindow != oldValue, library.opensPausedWindows else { return }
      _ = ccurl_setopt_offset(curl, handle, CCURLOPT_MAX_RECV_SPEED_LARGE, limitsWindow ? 1 : 0)
    }
  }

  /// Has a transfer wait to receive; it goes on to send unless that is paused, too.
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
    guard !library.lacking.contains(setting.name) else { return CCURLE_UNKNOWN_OPTION }
    switch setting.value {
    case .long(let value): return ccurl_setopt_long(curl, handle, setting.option, value)
    case .string(let value): return ccurl_setopt_string(curl, handle, setting.option, value)
    case .blob(let blob):
      var value = blob.value
      return ccurl_setopt_blob(curl, handle, setting.option, &value)
    case .share(let share): return ccurl_setopt_pointer(curl, handle, setting.option, share.pointer)
    case .list(let list): return ccurl_setopt_pointer(curl, handle, setting.option, list.first)
    }
  }

  /// The host of the proxy that the configuration names.
  var proxyHost: String? { profile?.proxy.flatMap(Origin.init(url:))?.host }

  /// Whether the client shows a certificate to servers.
  var showsIdentity: Bool {
    isSecure
      && profile?.settings.contains { $0.option == CCURLOPT_SSLCERT || $0.option == CCURLOPT_SSLCERT_BLOB }
        == true
  }

  /// Whether an answer of a status, 401 or 407, may be followed by another one.
  func answersChallenge(_ status: Int) -> Bool {
    status == 401 && profile?.answersChallenges == true
      || status == 407 && profile?.answersProxyChallenges == true
  }

  /// Whether libcurl may take bytes that are to go into the body's place: a line of a head; `nil` for bytes of a body.
  func admits(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    guardian?.admits(bytes)
  }

  /// Whether a proxy may be asked for the request itself, without its body at first; what goes through a tunnel is not.
  var probesProxy: Bool {
    !isDirect && !isSecure && profile?.handsOverPlainRequests == true && answersChallenge(407)
  }

  /// Libcurl has taken a line of a head.
  func noteTaken(_ line: UnsafeRawBufferPointer, endsHead: Bool) {
    guard guardian != nil, endsHead || HeadGuard.isField(line) else { return }
    guardian = nil
    set(CCURLOPT_HEADER, 0)
  }

  /// The request gets a connection, whose ends may not be known; returns whether it may have been used before.
  func isKept(_ connection: ConnectionEnds?) -> Bool {
    self.connection = connection
    stream = nil
    agreedOnHTTP2 = maySpeakHTTP2 && isSecure ? hasAgreedOnHTTP2 : nil
    guard let connection else { return true }
    return sockets?.isKept(connection) != false
  }

  /// Whether something has come over the kept connection of the request that was not asked for.
  ///
  /// Where HTTP/2 is spoken, what comes may be the protocol's own.
  var hasUnaskedBytes: Bool {
    guard let connection, isSecure || !maySpeakHTTP2 else { return false }
    return sockets?.book.hasInput(on: connection, isSecure: isSecure) == true
  }

  /// Notes that libcurl has ended a transfer whose answer had begun.
  ///
  /// libcurl (8.12 to 8.23) remembers a refused stream until it sends a request again for that. The next request of the handle
  /// would be sent again after any failure, whatever its method.
  ///
  /// And that libcurl has sent a request again: it (8.12 to 8.16) counts that for the handle, and ends the sixth, of whatever request.
  func noteFailure() {
    if maySpeakHTTP2 { isSpent = true }
  }

  /// Libcurl has noted something about the request or its connection.
  func note(_ note: DepartureNote) {
    switch note {
    case .stream(let number): stream = number
    case .departure(let last): if let connection { sockets?.book.noteDeparture(from: connection, last: last) }
    }
  }

  /// Whether the server has left the connection of the current request and has not processed it.
  var isLeftOut: Bool {
    guard let connection, let stream, let last = sockets?.book.lastStream(of: connection) else {
      return false
    }
    return stream > last
  }

  /// The head of an answer has come.
  func noteAnswer(isMultiplexed: Bool) {
    if isSecure, !isMultiplexed, let connection { sockets?.book.noteSecureAnswer(on: connection) }
  }

  /// Has libcurl send what it has left in the buffer of a connection of HTTP/2, such as the reset of another stream.
  ///
  /// Pausing and going on makes it send a window update if one is needed, and in any case whatever there is to send.
  func flushConnection() {
    _ = curl.pointee.easy_pause(handle, CInt(CCURLPAUSE_RECV))
    _ = curl.pointee.easy_pause(handle, 0)
  }

  /// Gives the handle the options of a profile.
  ///
  /// Most were tried when the configuration was taken; what an evaluator asks for later was not.
  ///
  /// - Throws: `TransferError.certificate` or `.other` if libcurl refuses an option; the request must not be sent then.
  func use(_ profile: CurlProfile, for url: String) throws(TransferError) {
    guard profile !== self.profile else { return }
    // Back to libcurl's defaults first: what one profile sets, another may not mention.
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
    (hasOwnCookies, forbidsReuse) = (false, false)
    url = nil
    (alternative, destination) = (nil, nil)
    setConstantOptions()
  }

  private func setConstantOptions() {
    _ = ccurl_setopt_prerequest(curl, handle, CCURLOPT_PREREQFUNCTION, curlMaySend)
    // The callbacks get this object: unretained is sound because the loop owns it for as long as the handle
    // is in its multi handle, and `deinit` ends the handle before the object.
    let context = Unmanaged.passUnretained(self).toOpaque()
    set(CCURLOPT_PRIVATE, pointer: context)
    set(CCURLOPT_HEADERDATA, pointer: context)
    set(CCURLOPT_WRITEDATA, pointer: context)
    set(CCURLOPT_READDATA, pointer: context)
    set(CCURLOPT_SEEKDATA, pointer: context)
    set(CCURLOPT_XFERINFODATA, pointer: context)
    set(CCURLOPT_PREREQDATA, pointer: context)
    _ = ccurl_setopt_write(curl, handle, CCURLOPT_HEADERFUNCTION, curlGotHeaderLine)
    _ = ccurl_setopt_write(curl, handle, CCURLOPT_WRITEFUNCTION, curlGotBody)
    _ = ccurl_setopt_read(curl, handle, CCURLOPT_READFUNCTION, curlWantsBody)
    _ = ccurl_setopt_seek(curl, handle, CCURLOPT_SEEKFUNCTION, curlSeeksBody)
    _ = ccurl_setopt_progress(curl, handle, CCURLOPT_XFERINFOFUNCTION, curlMadeProgress)
    set(CCURLOPT_ERRORBUFFER, pointer: errorBuffer)
    if library.leavesDepartures { _ = ccurl_setopt_debug(curl, handle, curlNotes, context) }
    if let sockets {
      _ = ccurl_setopt_open_socket(curl, handle, curlOpensSocket, context)
      let book = Unmanaged.passUnretained(sockets.book).toOpaque()
      _ = ccurl_setopt_close_socket(curl, handle, curlClosesSocket, book)
    }

    // Where an answer has no length, the end of the connection is all that tells whether it is whole (RFC 9112, section 9.8).
    // And libcurl must not keep records that no event of the socket tells of.
    ccurl_setopt_tls(curl, handle)
    // libcurl sends any request again when a kept connection breaks before the answer, and does not say whether it does that or
    // the server has refused the stream. With this option, which means nothing to HTTP otherwise, only the second remains
    // (all versions; it comes with RTSP). `CurlTransfer.changeConnection` does the first for idempotent methods.
    leavesRetries =
      ccurl_setopt_long(curl, handle, CCURLOPT_RTSP_REQUEST, CCURL_RTSPREQ_RECEIVE) == CCURLE_OK
    // No signal handlers of libcurl's in a program with threads; the loop's thread blocks SIGPIPE.
    set(CCURLOPT_NOSIGNAL, 1)
    // CURLOPT_FOLLOWLOCATION stays off: see `Redirect` for the rules, which libcurl cannot follow for every
    // method. No other scheme, whatever a URL says.
    if ccurl_setopt_string(curl, handle, CCURLOPT_PROTOCOLS_STR, "http,https") != CCURLE_OK {
      set(CCURLOPT_PROTOCOLS, CCURL_PROTOCOLS_HTTP_AND_HTTPS)
    }
    // The body as it comes: see `BodyUnpacker`.
    set(CCURLOPT_HTTP_CONTENT_DECODING, 0)
    set(CCURLOPT_BUFFERSIZE, CurlTransport.bufferSize)
    set(CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // Without it, removing a handle waits for a name lookup in progress and would stop every other transfer.
    set(CCURLOPT_QUICK_EXIT, 1)
  }
}

extension CurlEasy {
  /// Sets what differs from request to request.
  ///
  /// - Parameters:
  ///   - request: what is sent.
  ///   - content: its body.
  ///   - length: how many bytes that has; `nil` where that is not known.
  ///   - isNewConnection: whether it must not go over a connection that has been used.
  ///   - alternative: the advertised service to send it to; `nil` for the origin itself.
  func prepare(
    _ request: TransportRequest, _ content: TransportRequest.Body, length: Int64?,
    isNewConnection: Bool = false, alternative: AlternativeService? = nil
  ) {
    errorBuffer[0] = 0
    (connection, stream, agreedOnHTTP2) = (nil, nil, nil)
    limitsWindow = false
    sockets?.forgetOpened()
    if library.mistakesFirstLine {
      guardian = HeadGuard()
      set(CCURLOPT_HEADER, 1)
    }
    if request.url != url || alternative != self.alternative {
      setAddress(request.url)
      isSecure = request.url.withBytes { $0.hasLowercasedPrefix("https") }
      setVersion(profile?.httpVersion ?? .automatic)
      // A proxy for TCP does not carry QUIC.
      setAlternative(isDirect || profile?.proxy == nil ? alternative : nil)
      url = request.url
    }
    setCookies(request)
    // The body before the method: POSTFIELDS makes the request a POST.
    let lines = memory.lay(request, content, leavesCookies: hasOwnCookies, or: library.fields)
    set(CCURLOPT_HTTPHEADER, pointer: lines.first)
    // Without POSTFIELDS, libcurl calls `curlWantsBody` for the bytes.
    set(CCURLOPT_POSTFIELDS, pointer: lines.body)
    setMethod(request.method, hasContent: content != .none, length: length)
    let isAlone = library.losesPriorKnowledge && maySpeakHTTP2 && !isSecure
    set(CCURLOPT_FRESH_CONNECT, isNewConnection || isAlone ? 1 : 0)
    // libcurl does not tell the ends of a connection to a Unix domain socket, so that `hasUnaskedBytes` could not find its socket.
    // A new one costs next to nothing. Over HTTP/2 an answer belongs to a request.
    let isLast = isAlone || hasUnixSocket && !maySpeakHTTP2
    if isLast != forbidsReuse { forbidReuse(isLast) }
    if profile?.sendsEarlyData == true {
      set(CCURLOPT_SSL_OPTIONS, request.method.isSafe && content == .none ? CCURLSSLOPT_EARLYDATA : 0)
    }
    set(CCURLOPT_NOPROGRESS, content == .none || length == 0 ? 1 : 0)
  }

  /// Sets whether the connection of the current request closes behind it.
  func forbidReuse(_ isLast: Bool = true) {
    set(CCURLOPT_FORBID_REUSE, isLast ? 1 : 0)
    forbidsReuse = isLast
  }

  private func setAddress(_ url: String) {
    let socket = UnixSocketURL(url)
    // Set only where it may have been before: nearly no request needs it.
    if socket != nil || hasUnixSocket { set(CCURLOPT_UNIX_SOCKET_PATH, string: socket?.socket) }
    hasUnixSocket = socket != nil
    // libcurl does not send a fragment, but would resolve a `Location` against it.
    setURL((socket?.url ?? url).withoutFragment.withUppercaseEscapesInPath)
    // Empty: none. nil: the environment decides, whose `http_proxy` is not meant for this machine itself.
    isDirect =
      socket != nil || profile?.proxy == "" || profile?.proxiesLoopback != true && Origin.isLoopback(url)
    set(CCURLOPT_PROXY, string: isDirect ? "" : profile?.proxy)
    // Without it libcurl looks into the environment for each request, also where there is no proxy.
    set(CCURLOPT_NOPROXY, string: isDirect ? "*" : profile?.bypass)
    // For CONNECT, which has no fields of the request's; where it is set, libcurl writes it for each request anew.
    set(CCURLOPT_USERAGENT, string: isDirect ? nil : CurlTransport.userAgent)
  }

  /// Sets the URL as text, which libcurl tells it by, and parsed, which it goes by where it has that.
  private func setURL(_ url: String) {
    set(CCURLOPT_URL, string: url)
    // A copy of a parsed URL, which libcurl makes for each request, lacks the zone of an IPv6 address (7.88).
    let isParsed =
      !url.utf8.contains(UInt8(ascii: "[")) && parsedURL != nil
      && curl.pointee.url_set(parsedURL, CInt(CCURLUPART_URL), url, 0) == 0
    // What cannot be parsed is left to libcurl, which says so. From 8.12 on at least, it forgets the text with the parsed URL.
    set(CCURLOPT_CURLU, pointer: isParsed ? parsedURL : nil)
    if !isParsed { set(CCURLOPT_URL, string: url) }
  }

  /// Has libcurl put a request's own cookies behind those of the jar: one field takes all of them (RFC 6265, section 5.4).
  private func setCookies(_ request: TransportRequest) {
    let own =
      profile?.keepsCookies == true ? request.headers.filter { $0.isNamed("cookie") }.map(\.value) : []
    if !own.isEmpty || hasOwnCookies {
      set(CCURLOPT_COOKIE, string: own.isEmpty ? nil : own.joined(separator: "; "))
    }
    hasOwnCookies = !own.isEmpty
  }

  /// HTTP/2 where TLS can negotiate it; a plain connection speaks HTTP/1.1.
  ///
  /// `PIPEWAIT` has requests wait for the handshake of a connection to the same host that may turn out to carry
  /// them all. Not for plain HTTP: there libcurl learns the version from the first answer, and a server that
  /// holds back that answer would hold up every other request.
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
    if library.leavesDepartures { set(CCURLOPT_VERBOSE, maySpeakHTTP2 ? 1 : 0) }
    set(CCURLOPT_PIPEWAIT, version == CCURL_HTTP_VERSION_1_1 ? 0 : 1)
  }

  /// Has libcurl connect to an advertised service, in HTTP/3 alone: the connections that it has would serve otherwise.
  private func setAlternative(_ next: AlternativeService?) {
    guard next != nil || alternative != nil else { return }
    alternative = next
    destination = next.map { CurlList([$0.destination]) }
    set(CCURLOPT_CONNECT_TO, pointer: destination?.first)
    if next != nil { set(CCURLOPT_HTTP_VERSION, CCURL_HTTP_VERSION_3ONLY) }
    guard let profile else { return }
    set(CCURLOPT_CONNECTTIMEOUT_MS, next == nil ? profile.connectLimit : profile.serviceConnectLimit)
  }

  private func setMethod(_ method: HTTPMethod, hasContent: Bool, length: Int64?) {
    // First back to GET, which also undoes NOBODY and POST of the request before.
    set(CCURLOPT_HTTPGET, 1)
    if hasContent {
      set(CCURLOPT_POST, 1)
      // -1: not known; HTTP/1.1 then sends chunks.
      _ = ccurl_setopt_offset(curl, handle, CCURLOPT_POSTFIELDSIZE_LARGE, length ?? -1)
    } else if method == .head {
      set(CCURLOPT_NOBODY, 1)
    }
    let isNatural = method == (hasContent ? .post : .get) || method == .head
    set(CCURLOPT_CUSTOMREQUEST, string: isNatural ? nil : method.rawValue)
  }
}

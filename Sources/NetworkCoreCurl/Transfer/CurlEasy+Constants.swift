internal import CNetworkCoreCurl

extension CurlEasy {
  /// Sets the options that are the same for every request.
  func setConstantOptions() {
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
    // `TransferOutcome` retries idempotent methods after a broken connection.
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
    // User and password, or none. libcurl would also offer GSS-API, negotiate it with blocking reads, and fail with a
    // proxy that prefers it if there is no ticket.
    set(CCURLOPT_SOCKS5_AUTH, CCURLAUTH_BASIC)
    // Without it, removing a handle waits for a name lookup in progress and blocks every other transfer.
    set(CCURLOPT_QUICK_EXIT, 1)
  }
}

internal import CCurl

extension CurlEasy {
  /// Has libcurl show the body as it comes, before it is decoded (`CURLOPT_DEBUGFUNCTION`), or no longer.
  ///
  /// It takes effect at once, so that it may be said when the head has come. What libcurl has to say beside is dropped.
  func showContent(_ isWanted: Bool) {
    if isWanted {
      // Sound for the reason that holds for the other callbacks: see `setConstantOptions`.
      set(CCURLOPT_DEBUGDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
      _ = ccurl_setopt_debug(curl, handle, CCURLOPT_DEBUGFUNCTION, curlShowsBytes)
    }
    set(CCURLOPT_VERBOSE, isWanted ? 1 : 0)
  }
}

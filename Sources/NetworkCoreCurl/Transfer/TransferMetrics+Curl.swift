internal import CNetworkCoreCurl

extension TransferMetrics {
  /// Reads the metrics of a handle's last transfer.
  init(_ easy: CurlEasy) {
    self.init()
    let found = ccurl_read_metrics(easy.curl, easy.handle)
    nameLookup = .microseconds(found.nameLookup)
    connect = .microseconds(found.connect)
    secureConnect = .microseconds(found.secureConnect)
    firstByte = .microseconds(found.firstByte)
    total = .microseconds(found.total)
    bodyBytesSent = found.bodyBytesSent
    bodyBytesReceived = found.bodyBytesReceived
    headBytesReceived = Int64(found.headBytesReceived)
    httpVersion = HTTPVersion(curl: found.httpVersion)
    // libcurl may report the time of the end instead.
    if httpVersion == nil { firstByte = .zero }
    if let address = found.remoteAddress, address[0] != 0 {
      if !easy.applied.hasUnixSocket {
        remoteAddress = String(cString: address)
        remotePort = found.remotePort
      }
      isConnectionReused = found.newConnections == 0
      // libcurl 7.88 counts the time until it has chosen the connection.
      if isConnectionReused { nameLookup = .zero }
    }
  }
}

extension HTTPVersion {
  /// Translates libcurl's number for a version.
  init?(curl version: Int) {
    switch version {
    case CCURL_HTTP_VERSION_IS_1_0: self = .http1_0
    case CCURL_HTTP_VERSION_IS_1_1: self = .http1_1
    case CCURL_HTTP_VERSION_IS_2: self = .http2
    case CCURL_HTTP_VERSION_IS_3: self = .http3
    default: return nil
    }
  }
}

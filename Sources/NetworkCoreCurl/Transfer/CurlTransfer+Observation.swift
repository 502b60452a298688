internal import CNetworkCoreCurl
internal import Foundation

// The events of a request that libcurl reports. All functions are called on the loop's thread.
extension CurlTransfer {
  /// Adds an event, which another thread delivers.
  func observe(_ event: @autoclosure () -> TransportEvent) {
    guard let observer else { return }
    if observer.note(event(), at: .now) { loop.batch.add { observer.deliver() } }
  }

  /// Reports that the request has a connection, over which libcurl sends it next.
  func observeConnection(isReused: Bool) {
    guard observer != nil, let easy else { return }
    observe(.connected(TransportEvent.Connection(easy, isReused: isReused)))
    // The bytes that follow a request to switch protocols belong to the next protocol.
    if request.upgradesConnection || body.map({ $0.length == 0 }) ?? true { observe(.requestSent) }
  }

  /// Reports `requestSent` once libcurl has sent the whole body.
  func observeSent(_ count: Int64) {
    guard observer != nil, !request.upgradesConnection, let body, count >= body.sendableCount,
      body.length != nil || upload.isEndUnsent
    else { return }
    upload.isEndUnsent = false
    observe(.requestSent)
  }

  /// Notes that libcurl has read the whole body, of which it may have sent only a part.
  func observeEnd() {
    guard observer != nil, body?.length == nil else { return }
    upload.isEndUnsent = true
    observeSent(upload.sent)
  }
}

extension TransportEvent.Connection {
  /// Creates a description of the connection of a request that libcurl is about to send.
  init(_ easy: CurlEasy, isReused: Bool) {
    let found = ccurl_read_metrics(easy.curl, easy.handle)
    self.init(isReused: isReused)
    // For a Unix domain socket, libcurl reports the beginning of its path, and a port that it does not have.
    if !easy.applied.hasUnixSocket, let address = found.remoteAddress, address[0] != 0 {
      self.address = String(cString: address)
      port = found.remotePort
    }
    tlsVersion =
      easy.applied.isSecure ? ccurl_tls_version(easy.curl, easy.handle).map { String(cString: $0) } : nil
    httpVersion =
      switch easy.negotiatedProtocol {
      case CCURL_ALPN_HTTP2: .http2
      case CCURL_ALPN_OTHER: .http1_1
      default: easy.applied.maySpeakHTTP2 ? nil : .http1_1
      }
    guard !isReused else { return }
    nameLookup = .microseconds(found.nameLookup)
    connect = .microseconds(max(0, found.connect - found.nameLookup))
    if found.secureConnect > 0 { secureConnect = .microseconds(max(0, found.secureConnect - found.connect)) }
  }
}

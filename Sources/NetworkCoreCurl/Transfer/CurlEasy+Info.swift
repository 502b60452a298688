internal import CNetworkCoreCurl
internal import Foundation

// libcurl's information about a handle's current or last transfer.
extension CurlEasy {
  /// Whether the other side of a secure connection has announced that it sends no more data (TLS
  /// close_notify).
  var closeNotify: ccurl_close_notify { ccurl_close_notify_state(curl, handle) }

  /// The protocol that the connection of the current request has agreed on.
  var negotiatedProtocol: ccurl_alpn { ccurl_alpn_protocol(curl, handle) }

  func long(_ info: Int) -> Int { ccurl_getinfo_long(curl, handle, info) }

  func offset(_ info: Int) -> Int64 { ccurl_getinfo_offset(curl, handle, info) }

  func string(_ info: Int) -> String? { ccurl_getinfo_string(curl, handle, info).map { String(cString: $0) } }

  /// Whether a proxy over TLS has shown no valid certificate, or none at all before the transfer ended.
  ///
  /// libcurl keeps this for the next transfers of the handle that do not connect to such a proxy, where it
  /// would pass for the reason why a server's certificate is rejected.
  var hasProxyCertificateProblem: Bool {
    !applied.bypassesProxy && long(CCURLINFO_PROXY_SSL_VERIFYRESULT) != 0
  }

  /// The connection of the current request, if several requests may share it.
  var sharedConnection: Connection? {
    guard applied.maySpeakHTTP2 else { return nil }
    if let connection { return connection }
    // libcurl may report the connection even before it calls `curlPrerequestCallback`.
    let endpoints = ConnectionEndpoints(
      local: ccurl_getinfo_string(curl, handle, CCURLINFO_LOCAL_IP), port: long(CCURLINFO_LOCAL_PORT),
      remote: ccurl_getinfo_string(curl, handle, CCURLINFO_PRIMARY_IP), port: long(CCURLINFO_PRIMARY_PORT))
    return endpoints.flatMap { sockets?.registry.connection(with: $0) }
  }

  /// The connection of the current request, if it is known; it may have closed.
  var connection: Connection? { reported.connection }

  /// The socket of that connection; `nil` if it has closed.
  var socket: CInt? { connection.flatMap { $0.isOpen ? $0.socket : nil } }

  /// The number of bytes that the other side of the connection has acknowledged; -1 if no sent bytes are
  /// outstanding, or the system does not report it.
  var acknowledged: Int64? { socket.map { ccurl_bytes_acknowledged($0) } }
}

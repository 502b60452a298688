internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import NetworkCore

extension TransferError {
  /// Errors of a connection that was never open.
  private static let connectErrors = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL]

  /// Translates an error of AsyncHTTPClient or SwiftNIO; `hasHead` is `true` if the head has arrived.
  init(_ error: any Error, url: String, hasHead: Bool, connectTimeout: Duration) {
    let reason = "\(error)"
    switch error {
    case let error as TransferError: self = error
    case is CancellationError: self = .cancelled
    case let error as NIOConnectionError:
      let isUnknown = error.connectionErrors.isEmpty && (error.dnsAError ?? error.dnsAAAAError) != nil
      self = isUnknown ? .cannotFindHost(error.host) : .cannotConnect(url: url, reason: reason)
    case let error as HTTPParserError where error != .invalidEOFState:
      self = .badServerResponse(reason: reason)
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      self = .secureConnectionFailed(reason: reason)
    case let error as HTTPClientError:
      self.init(error, url: url, hasHead: hasHead, connectTimeout: connectTimeout)
    case let error as IOError where Self.connectErrors.contains(error.errnoCode):
      self = .cannotConnect(url: url, reason: reason)
    case ChannelError.connectTimeout: self = .timedOut(.connect, after: connectTimeout)
    case let error as NIOHTTPDecompression.ExtraDecompressionError where error == .truncatedData:
      self = .truncatedBody(reason: reason)
    case _ where error.isOfDecompression: self = .badServerResponse(reason: reason)
    case is IOError, is ChannelError, is HTTPParserError: self.init(endOfConnection: reason, hasHead: hasHead)
    default: self = .other(code: 0, reason: reason)
    }
  }

  private init(_ error: HTTPClientError, url: String, hasHead: Bool, connectTimeout: Duration) {
    switch error {
    case .cancelled, .alreadyShutdown: self = .cancelled
    case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
      self = .timedOut(.connect, after: connectTimeout)
    case .invalidURL, .emptyHost, .emptyScheme: self = .unsupportedURL(url)
    case .remoteConnectionClosed: self.init(endOfConnection: "\(error)", hasHead: hasHead)
    default: self = .other(code: 0, reason: "\(error)")
    }
  }

  private init(endOfConnection reason: String, hasHead: Bool) {
    self = hasHead ? .truncatedBody(reason: reason) : .connectionLost(reason: reason)
  }
}

extension Error {
  /// Whether a body could not be decompressed.
  var isOfDecompression: Bool {
    self is NIOHTTPDecompression.ExtraDecompressionError || self is NIOHTTPDecompression.DecompressionError
  }
}

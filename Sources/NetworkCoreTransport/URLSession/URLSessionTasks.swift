internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The tasks of a `URLSession` that stores nothing: one for each request, whose redirects are reported as responses.
struct URLSessionTasks: Transport {
  private let delegate = URLSessionTransferDelegate()
  private let session: URLSession

  /// - Parameter protocolClasses: a request is passed to the first of these that accepts it.
  init(protocolClasses: [URLProtocol.Type] = []) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // A day, so that only `idleTimeout` ends a transfer.
    configuration.timeoutIntervalForRequest = 86_400
    configuration.protocolClasses = protocolClasses + (configuration.protocolClasses ?? [])
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegate.queue)
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    var request = request
    let refusal = request.normalizeAndValidate(allowsUnixSockets: false)
    let transfer = URLSessionTransfer(request: request, delegate: delegate, handler: handler)
    // Starting, cancelling and ending all run on the delegate's serial queue.
    delegate.queue.addOperation { [delegate, session] in
      // The session of a released transport accepts no task, not even for the target of a redirect.
      if delegate.isInvalid { return transfer.finish(.cancelled) }
      guard refusal == nil, !transfer.isCancelled else { return transfer.finish(refusal) }
      do throws(TransferError) {
        try delegate.start(transfer, in: session)
      } catch {
        transfer.finish(error)
      }
    }
    return transfer
  }

  /// Ends all transfers; later ones end at once.
  func invalidate() {
    delegate.queue.addOperation { [delegate, session] in
      delegate.isInvalid = true
      for transfer in delegate.allTransfers { delegate.cancel(transfer) }
      session.finishTasksAndInvalidate()
    }
  }
}

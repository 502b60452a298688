import ReactiveNetworkLock

extension Transport {
  /// Returns a transport that starts each request when a limit has a free place.
  ///
  /// ```swift
  /// let limit = ConcurrencyLimit(8, maxWaiting: 32)
  /// let provider = NetworkProvider<GitHub>(
  ///   transport: try CurlTransport().limitConcurrency(limit, longestWait: .seconds(2)) {
  ///     $0.method == .get ? 0 : 1
  ///   })
  /// ```
  ///
  /// The request holds the place until its transfer ends, and releases it before the end is reported. A
  /// request that is cancelled while it waits leaves the queue. A request that is refused, or has waited too
  /// long, is not sent, and ends with `TransferError.queueFull` or `.waitedTooLong`. Time-outs of the request do
  /// not run while it waits.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other transports and pipelines may share.
  ///   - longestWait: the longest wait for a place, 30 s by default; `nil` for no limit.
  ///   - priority: returns the priority of a request; requests with a higher number start first. It is called
  ///     on the thread that starts the request. By default, all requests have the same priority.
  /// - Returns: the transport. A request that has to wait starts on the limit's scheduler. Refusals are
  ///   reported there too, all other events on the threads of this transport.
  public func limitConcurrency(
    _ limit: ConcurrencyLimit, longestWait: Duration? = ConcurrencyLimit.defaultLongestWait,
    priority: @escaping @Sendable (TransportRequest) -> Int = { _ in 0 }
  ) -> any Transport {
    ConcurrencyLimitedTransport(wrapped: self, limit: limit, longestWait: longestWait, priority: priority)
  }
}

private struct ConcurrencyLimitedTransport: TransportLayer {
  let wrapped: any Transport
  let limit: ConcurrencyLimit
  let longestWait: Duration?
  let priority: @Sendable (TransportRequest) -> Int

  func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = DeferredTransfer(limit.scheduler, pausing: request.hedgeDelay, handler)
    let place = limit.acquire(priority: priority(request), longestWait: longestWait) { result in
      switch result {
      // A permit that comes too late is dropped, which releases it.
      case .success(let permit): transfer.begin { send(request, permit, $0) }
      case .failure(let error): transfer.refuse(error)
      }
    }
    transfer.store(place)
    return transfer
  }

  private func send(
    _ request: TransportRequest, _ permit: ConcurrencyLimit.Permit, _ sequence: TransferSequence
  ) {
    // `nil` before the response, after which a call that is cancelled says as much as any other.
    let ending = Lock<ConcurrencyLimit.Permit.Ending?>(nil)
    sequence.start(request, over: wrapped) { event in
      switch event {
      case .finished(let error):
        let response = ending.withLock { $0 }
        let failure = error.map { ConcurrencyLimit.Permit.Ending(error: $0, after: response) }
        permit.release(failure ?? response ?? .responded)
        sequence.finish(error)
      case .head(let head):
        permit.noteResponse()
        ending.withLock { $0 = .init(status: head.statusCode) }
        sequence.deliver(event)
      default: sequence.deliver(event)
      }
    }
  }
}

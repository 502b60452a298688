import Foundation
import ReactiveNetworkLock

extension Transport {
  /// Returns a transport that makes each request a call of a circuit breaker.
  ///
  /// ```swift
  /// let breaker = CircuitBreaker(opensAt: .failureRatio(0.5, minimumCalls: 20, window: .seconds(10)))
  /// let provider = NetworkProvider<GitHub>(transport: try CurlTransport().circuitBreaker(breaker))
  /// ```
  ///
  /// A request that the breaker refuses is not sent, and ends with `TransferError.circuitOpen`. Otherwise the
  /// breaker counts the end of the transfer before the end is reported. An error counts by the breaker's
  /// `isFailure`, and a status of 400 or more counts like `NetworkError.statusCode`. Anything else counts as
  /// a success, except a request that could not be sent. A request that is cancelled before the head of the response
  /// has arrived does not count, unless it is slow; the time of a request ends with that head. If a request tests
  /// whether the breaker may close, the head of its response counts, because the end of a stream may be hours away.
  /// A `RetryPolicy` does not retry refused requests.
  ///
  /// Use it for requests to one host, because the failures of one host would stop requests to the others.
  ///
  /// - Parameter breaker: the breaker, which other transports and pipelines may share.
  /// - Returns: the transport. Refusals are reported on the breaker's scheduler, other events on the threads
  ///   of this transport.
  public func circuitBreaker(_ breaker: CircuitBreaker) -> any Transport {
    CircuitBreakingTransport(wrapped: self, breaker: breaker)
  }
}

private struct CircuitBreakingTransport: TransportLayer {
  let wrapped: any Transport
  let breaker: CircuitBreaker

  func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let call: CircuitBreaker.Call
    do throws(TransferError) {
      call = try breaker.begin()
    } catch {
      let transfer = DeferredTransfer(breaker.scheduler, handler)
      transfer.refuse(error)
      return transfer
    }
    let status = Lock<Int?>(nil)
    return wrapped.start(request) { event in
      switch event {
      case .head(let head):
        status.withLock { $0 = head.statusCode }
        call.respond(NetworkError(status: head.statusCode))
      case .finished(let error): call.end(error, status: status.withLock { $0 })
      default: break
      }
      handler(event)
    }
  }
}

extension CircuitBreaker.Call {
  fileprivate func end(_ error: TransferError?, status: Int?) {
    switch (error, status) {
    case (.cancelled?, nil): cancel()
    case (.cancelled?, _?), (nil, _):
      if let error = status.flatMap(NetworkError.init(status:)) { fail(error) } else { succeed() }
    case (let error?, let status):
      // The status may tell more than the error, such as that of a body that is too large.
      fail(NetworkError.underlying(error, status.map { Response(statusCode: $0, data: Data()) }))
    }
  }
}

extension NetworkError {
  /// Creates the error that a status stands for; `nil` below 400.
  fileprivate init?(status: Int) {
    guard status >= 400 else { return nil }
    self = .statusCode(Response(statusCode: status, data: Data()))
  }
}

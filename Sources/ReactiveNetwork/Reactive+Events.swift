public import Dispatch
public import NetworkCore
public import RxLite

extension Reactive where Base: StreamingProviderType {
  /// The server-sent events of an answer (WHATWG HTML, section 9.2), over as many connections as it takes.
  ///
  /// ```swift
  /// provider.rx.events(.news)
  ///   .filter { $0.event == "message" }
  ///   .subscribe(onNext: { print($0.data) })
  ///   .disposed(by: bag)
  /// ```
  ///
  /// Where the server ends the answer, or the connection fails or is silent for the target's `timeout`, the request is
  /// made again after the reconnection time, with the last `id` as `Last-Event-ID`: without end, until the subscription
  /// is disposed. A request whose method is not idempotent, such as a POST, is made once: the end of its answer completes the
  /// sequence, and a failure fails it. A status of 204 completes the sequence. Any other status than 200 is a `NetworkError.statusCode`; a
  /// media type other than `text/event-stream`, or a line or event beyond the limit, is a `NetworkError.underlying` with a
  /// `StreamError`.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - lastEventID: the `id` to go on behind.
  ///   - reconnectionTime: how long to wait before a reconnection, until the server says otherwise (`retry:`). Whoever says it, the
  ///     wait is at least 100 milliseconds.
  ///   - retryableHTTPMethods: the methods of the requests that are made again; the idempotent ones unless said otherwise.
  ///   - limit: the most bytes that a line, or the data of an event, may have.
  ///   - scheduler: what the reconnection time passes on.
  ///   - callbackQueue: where the events are delivered; `nil` for the provider's queue or, where that has none, a
  ///     background queue.
  /// - Returns: the sequence of events; it fails with a `NetworkError`.
  public func events(
    _ target: Base.Target, lastEventID: String = "", reconnectionTime: RxTimeInterval = .seconds(3),
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods, limit: Int = 1 << 20,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
    callbackQueue: DispatchQueue? = nil
  ) -> Observable<ServerSentEvent> {
    let provider = base
    return Observable.create { observer in
      let source = EventSource(
        EventStreamParser(lastEventID: lastEventID, limit: limit), reconnectionTime, scheduler,
        reconnects: retryableHTTPMethods.contains(target.method), observer)
      source.connect { headers, receive in
        provider.stream(target, headers: headers, callbackQueue: callbackQueue, receive: receive)
      }
      return source
    }
  }
}

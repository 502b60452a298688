public import Dispatch
public import NetworkCore
public import RxLite

extension Reactive where Base: StreamingProviderType {
  /// Returns the server-sent events of a response (WHATWG HTML, section 9.2), reconnecting as often as
  /// necessary.
  ///
  /// ```swift
  /// provider.rx.events(.news)
  ///   .filter { $0.event == "message" }
  ///   .subscribe(onNext: { print($0.data) })
  ///   .disposed(by: bag)
  /// ```
  ///
  /// If the server ends the response, or if the connection fails or is silent for the target's `timeout`, the
  /// request is sent again after the reconnection time, with the last `id` as `Last-Event-ID`. This continues
  /// without limit until the subscription is disposed. A request whose method is not idempotent, such as
  /// POST, or whose body can be read only once, is sent once: the end of its response completes the sequence, and a
  /// failure fails it.
  ///
  /// A status of 204 completes the sequence. Any other status than 200 fails with `NetworkError.statusCode`. A
  /// `retry(backoff:)` then goes on after the last event, and with the server's reconnection time; RxLite's own
  /// `retry` begins with `lastEventID` again. Put `retry(backoff:)` before `share`: after `share`, only the retry that
  /// has started the shared sequence continues after the last event of all subscribers, if it also starts the sequence
  /// again.
  /// A media type other than `text/event-stream`, or a line or event beyond the limit, fails with
  /// `NetworkError.underlying` and a `StreamError`. The `EventSource` of browsers, which the standard describes,
  /// follows the same rules; other methods than GET, the jitter and the bounds are additions.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - lastEventID: the `id` of the last event that was received before.
  ///   - reconnectionTime: the wait before a reconnection, until the server sends another one (`retry:`).
  ///     In both cases, the wait is at least 100 milliseconds.
  ///   - jitter: the random share of the reconnection time, from 0 to 1, that is added to it, so that the clients
  ///     of a server that restarts do not return at the same moment.
  ///   - longestReconnectionTime: the longest wait before a reconnection, whatever the server sends.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again; the idempotent methods by
  ///     default.
  ///   - limit: the maximum size of a line, or of the data of an event, in bytes.
  ///   - scheduler: measures the reconnection time.
  ///   - callbackQueue: the queue on which the events are delivered; `nil` for the provider's queue, or for a
  ///     background queue if the provider has none.
  /// - Returns: the sequence of events, which fails with a `NetworkError`.
  public func events(
    _ target: Base.Target, lastEventID: String = "", reconnectionTime: RxTimeInterval = .seconds(3),
    jitter: Double = 0.5, longestReconnectionTime: RxTimeInterval = .seconds(600),
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods, limit: Int = 1 << 20,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
    callbackQueue: DispatchQueue? = nil
  ) -> Observable<ServerSentEvent> {
    let provider = base
    let sequence = EventPosition.Sequence()
    return Observable.create { observer in
      guard let request = admit(target, in: observer.context, refuse: { observer.onError($0) }) else {
        return Disposables.create()
      }
      let attempts = observer.context?.values(of: RetriedEvents.self).first
      let endpoint = provider.endpoint(target)
      let initial = EventPosition.State(lastEventID: lastEventID, reconnectionTime: reconnectionTime)
      let source = EventSource(
        attempts?.beginEvents(of: sequence, initial) ?? EventPosition(sequence, initial), of: request,
        in: attempts, limit: limit, scheduler,
        reconnects: endpoint.task.isRepeatable && retryableHTTPMethods.contains(endpoint.method),
        jitter: jitter, longestWait: longestReconnectionTime, observer)
      source.connect { headers, receive in
        request.start {
          provider.stream(target, headers: headers, callbackQueue: callbackQueue, receive: receive)
        }
      }
      return source
    }
  }
}

public import Dispatch
public import struct Foundation.URL
public import struct Foundation.Data
public import NetworkCore
public import RxLite

extension Reactive where Base: ObservableProviderType {
  /// The events of the provider's requests that start during the subscription.
  ///
  /// ```swift
  /// let slow = provider.rx.requestEvents.filter { event in
  ///   if case .ended(_, let metrics?) = event.kind { metrics.total > 1 } else { false }
  /// }
  /// ```
  ///
  /// The events of all requests arrive one at a time, and those of one request in order, on the threads that
  /// `RequestObserver` describes. The sequence keeps the provider alive and does not end.
  public var requestEvents: Observable<RequestEvent> {
    let provider = base
    return Observable.create { observer in
      let token = provider.observeRequests { observer.onNext($0) }
      return Disposables.create { token.cancel() }
    }
  }

  /// Returns the events of one request.
  ///
  /// The request is sent when you subscribe, and each subscription sends it again. The sequence completes
  /// after `ended`, even if the request fails. Disposing the subscription cancels the request. The body of
  /// the response is dropped; to receive it as well, use `request(_:callbackQueue:observer:)`.
  ///
  /// - Parameters:
  ///   - target: the request to send.
  ///   - callbackQueue: the queue for the events after the response; `nil` for the provider's queue.
  /// - Returns: the sequence.
  public func requestEvents(of target: Base.Target, callbackQueue: DispatchQueue? = nil)
    -> Observable<RequestEvent>
  {
    let provider = base
    return Observable.create { observer in
      guard admit(target, in: observer.context, refuse: { observer.onError($0) }) != nil else {
        return Disposables.create()
      }
      let request = provider.request(
        target, callbackQueue: callbackQueue,
        observer: { event in
          observer.onNext(event)
          if case .ended = event.kind { observer.onCompleted() }
        }, progress: nil
      ) { _ in }
      return Disposables.create { request.cancel() }
    }
  }

  /// Returns a single that sends a request and reports its events to an observer.
  ///
  /// Otherwise it behaves like `request(_:callbackQueue:)`.
  ///
  /// - Parameters:
  ///   - target: the request to send.
  ///   - callbackQueue: the queue for the response; `nil` for the provider's queue or, without one, the
  ///     transport's callback thread.
  ///   - observer: receives the events of each subscription's request, as described for `RequestObserver`.
  /// - Returns: the single.
  @preconcurrency public func request(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil,
    observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> Single<Response> {
    let provider = base
    return single(of: target) { completion in
      provider.request(
        target, callbackQueue: callbackQueue, observer: observer, progress: nil, completion: completion)
    }
  }

  /// Returns a sequence that sends a request, and reports its progress and its events.
  ///
  /// It observes uploads, and downloads whose target's task names the destination. Otherwise it behaves like
  /// ``requestWithProgress(_:callbackQueue:)``.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue on which the elements are delivered; `nil` for the provider's queue, or for
  ///     the transport's callback thread if the provider has none.
  ///   - observer: receives the events of each subscription's request, as described for `RequestObserver`.
  /// - Returns: the sequence, which fails with a `NetworkError`.
  @preconcurrency public func requestWithProgress(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil,
    observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> Observable<ProgressResponse> {
    let provider = base
    return progress(of: target) { progress, completion in
      provider.request(
        target, callbackQueue: callbackQueue, observer: observer, progress: progress, completion: completion)
    }
  }
}

extension Reactive where Base: ObservableStreamingProviderType {
  /// Returns the chunks of a response body as they arrive, and reports the request's events to an observer.
  ///
  /// ```swift
  /// provider.rx.stream(.log, observer: { print($0) }).lines()
  ///   .subscribe(onNext: { print($0) })
  ///   .disposed(by: bag)
  /// ```
  ///
  /// Otherwise it behaves like ``stream(_:callbackQueue:)``.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue on which the chunks are delivered; `nil` for the provider's queue, or for a
  ///     background queue of this subscription if the provider has none.
  ///   - observer: receives the events of each subscription's request, as described for `RequestObserver`.
  /// - Returns: the sequence, which fails with a `NetworkError`.
  @preconcurrency public func stream(
    _ target: Base.Target, callbackQueue: DispatchQueue? = nil,
    observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> Observable<Data> {
    let provider = base
    return chunks(of: target) { receive in
      provider.stream(
        target, headers: [:], callbackQueue: callbackQueue, observer: observer, receive: receive)
    }
  }

  /// Returns a sequence that downloads a response to a file, and reports the request's events to an observer.
  ///
  /// Otherwise it behaves like ``download(_:to:options:callbackQueue:)``.
  ///
  /// - Parameters:
  ///   - target: the target to request; its task describes the request body.
  ///   - destination: the file, which appears when the download is complete.
  ///   - options: what to do if the file already exists or its folder is missing.
  ///   - callbackQueue: the queue on which the elements are delivered; `nil` for the provider's queue, or for
  ///     a background queue if the provider has none.
  ///   - observer: receives the events of each subscription's request, as described for `RequestObserver`.
  /// - Returns: the sequence of progress, which fails with a `NetworkError`.
  @preconcurrency public func download(
    _ target: Base.Target, to destination: URL, options: DownloadOptions = [],
    callbackQueue: DispatchQueue? = nil, observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> Observable<ProgressResponse> {
    let provider = base
    return progress(of: target) { progress, completion in
      provider.download(
        target, to: destination, options: options, callbackQueue: callbackQueue, observer: observer,
        progress: progress, completion: completion)
    }
  }
}
